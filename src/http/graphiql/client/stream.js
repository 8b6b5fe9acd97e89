// GraphiQL has one stream at most, shows it in whatever tab is open, and while it is open its run button is a stop button. A new
// tab would get the events of the old one's stream, and to run what stands there would take two attempts.

const newTab = 'button[aria-label="New tab"]'
const stopButton = () => document.querySelector('button.graphiql-execute-button[aria-label^="Stop"]')

/** Ends the stream that is open, if any. Resolves when nothing of it can arrive any more. */
export async function endStream() {
  const button = stopButton()
  if (!button) return
  button.click()
  await new Promise((resolve) => setTimeout(resolve)) // an event may have been on its way
}

/** Ends the open stream where a new tab is asked for, or where `readOperation` is another one than was begun and shall run. */
export function watchStream(readOperation) {
  let begun

  document.addEventListener(
    'click',
    (event) => {
      if (event.target.closest('.graphiql-execute-button') && !stopButton()) begun = readOperation()
      const button = event.target.closest(newTab)
      if (!button || !stopButton()) return
      event.stopPropagation()
      void endStream().then(() => button.click())
    },
    { capture: true },
  )
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      const now = readOperation()
      if (now !== begun) stopButton()?.click()
      begun = now
    },
    { capture: true },
  )
}
