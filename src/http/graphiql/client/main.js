import { drawBar } from './bar.js'
import { prepareEditor, refetchSchema, startEditor } from './editor.js'
import { authorizeFetch } from './fetch.js'
import { onKeyChange } from './key.js'

const settings = JSON.parse(document.getElementById('settings').textContent)
const root = document.getElementById('root')

const operations = fetch(settings.operations).then((answer) => answer.json())

prepareEditor(settings.workers)
const bar = drawBar(document.getElementById('bar'))
authorizeFetch(settings.endpoint, bar.showAnswer)
onKeyChange(refetchSchema)

// By then the editor's own script, which is deferred too and comes after this one, has run.
document.addEventListener('DOMContentLoaded', async () => {
  if (!window.YogaGraphiQL) {
    root.textContent = 'GraphiQL could not be loaded. Reload the page.'
    return
  }
  await startEditor(root, settings)
  bar.offerOperations(await operations)
})
