import { maskKeys } from './key.js'
import { endStream, watchStream } from './stream.js'

// Starts GraphiQL and reaches into it where it offers no way of its own: a tab is opened by its "New tab" button and
// filled through Monaco's public interface, so that GraphiQL sees what it sees when a person types.

/** Must run before GraphiQL's script: it reads these settings while it loads. */
export function prepareEditor(workers) {
  window.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => workers[label] }
}

/** Resolves when operations can be opened. */
export async function startEditor(root, { endpoint, welcome }) {
  const ready = editorsToAppear()
  const shared = takeSharedOperation()
  window.YogaGraphiQL.renderYogaGraphiQL(root, {
    endpoint,
    defaultTabs: [shared ?? { query: welcome }], // when no tabs are kept from before
    ...shared, // one more tab when there are
    shouldPersistHeaders: false,
    storage: maskedStorage,
    onEditQuery() {}, // in place of the default, which writes every edit into the address
  })
  await ready
  watchStream(() => `${editorOf('operation.graphql').getValue()}\n${editorOf('variables.json').getValue()}`)
  for (const editor of window.monaco.editor.getEditors()) editor.updateOptions({ wordWrap: 'on' })
}

/** Opens an operation in a tab of its own; the others stay as they are. */
export async function openOperation({ query, variables }) {
  await endStream()
  document.querySelector('button[aria-label="New tab"]').click()
  editorOf('variables.json').setValue(variables)
  const editor = editorOf('operation.graphql')
  editor.setValue(query)
  editor.focus()
}

/** Asks for the schema again: the first time may have failed for want of a key. */
export function refetchSchema() {
  document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click()
}

function editorOf(file) {
  return window.monaco.editor.getEditors().find((editor) => editor.getModel()?.uri.path.endsWith(file))
}

function editorsToAppear() {
  return new Promise((resolve) => {
    const watching = window.monaco.editor.onDidCreateEditor(() => {
      setTimeout(() => {
        // By now GraphiQL has taken note of the new editor.
        if (!editorOf('operation.graphql') || !editorOf('variables.json')) return
        watching.dispose()
        resolve()
      })
    })
  })
}

/** A link may carry an operation (?query=…&variables=…): it is taken over and leaves the address. */
function takeSharedOperation() {
  const parameters = new URLSearchParams(location.search)
  if (location.search) history.replaceState(null, '', location.pathname)
  const query = parameters.get('query')
  return query ? { query, variables: parameters.get('variables') ?? '' } : undefined
}

/** Tabs outlive the session in localStorage; a key that was typed into one does not. */
const maskedStorage = {
  getItem: (name) => localStorage.getItem(name),
  setItem: (name, value) => localStorage.setItem(name, maskKeys(value)),
  removeItem: (name) => localStorage.removeItem(name),
  get length() {
    return localStorage.length
  },
  clear() {
    for (const name of Object.keys(localStorage)) if (name.startsWith('graphiql:')) localStorage.removeItem(name)
  },
}
