import { openOperation } from './editor.js'
import { forgetKey, keyProblem, onKeyChange, readKey, setKey, shortKey } from './key.js'

// The bar above the editor: the key, its state, and the ready-made operations.

const hints = {
  UNAUTHENTICATED: 'this needs one, paste it here',
  FORBIDDEN: 'this needs more rights',
  INVALID_KEY: 'refused, paste another one',
  TOO_MANY_ATTEMPTS: 'wrong too often, wait a minute',
}

/** Fills the bar; operations are offered later, once the editor can take them. */
export function drawBar(bar) {
  const field = element('input', {
    id: 'key',
    type: 'password',
    placeholder: 'frs_…',
    size: 16,
    spellcheck: false,
    autocomplete: 'off',
  })
  const use = element('button', { type: 'button', textContent: 'Use' })
  const forget = element('button', { type: 'button', textContent: 'Forget' })
  const state = element('output', { id: 'key-state', htmlFor: 'key' })
  const menu = element('select', { id: 'operations', disabled: true, autocomplete: 'off' })
  menu.append(element('option', { value: '', textContent: 'Open in a new tab …' }))

  function show(problem) {
    const key = readKey()
    const stands = key ? `key set (${shortKey(key)})` : 'no key'
    state.textContent = problem ? `${stands}: ${problem}` : stands
    state.title = state.textContent
    state.dataset.state = problem ? 'refused' : key ? 'set' : 'none'
    field.ariaInvalid = String(Boolean(problem))
    forget.hidden = !key
  }

  function take() {
    if (!field.value.trim()) return
    const problem = setKey(field.value)
    if (problem) show(problem)
    else field.value = ''
  }

  use.addEventListener('click', take)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') take()
  })
  forget.addEventListener('click', forgetKey)
  onKeyChange(() => show())
  show()

  bar.append(
    element('label', { htmlFor: 'key', textContent: 'API key' }),
    field,
    use,
    state,
    forget,
    element('label', { htmlFor: 'operations', textContent: 'Ready-made operations' }),
    menu,
  )
  return {
    /** Takes the code of a refusal, or undefined for an answer that was given. */
    showAnswer: (code) => {
      // A key that stands in the field and was not taken explains a refusal better than the refusal does.
      const untaken = field.value.trim() && !readKey() ? keyProblem(field.value) : undefined
      show(untaken && code ? untaken : hints[code])
    },
    offerOperations(operations) {
      fillMenu(menu, operations)
      menu.disabled = false
    },
  }
}

/** A title of the form "Area: what it does" is shown under its area. */
function fillMenu(menu, operations) {
  let group
  operations.forEach((operation, index) => {
    const [area, title] = operation.title.includes(': ')
      ? operation.title.split(/: (.*)/)
      : [undefined, operation.title]
    const option = element('option', { value: String(index), textContent: title, title: operation.explanation })
    if (!area) menu.append(option)
    else {
      if (group?.label !== area) menu.append((group = element('optgroup', { label: area })))
      group.append(option)
    }
  })
  menu.addEventListener('change', () => {
    const chosen = operations[menu.value]
    menu.value = ''
    if (chosen) void openOperation(chosen)
  })
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties)
}
