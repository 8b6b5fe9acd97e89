// Watches the events of all runs and resumes behind the last one seen, however often the connection breaks.
// Usage: FRESHET_URL=http://127.0.0.1:4000/graphql FRESHET_KEY=frs_… node examples/watch-runs.mjs
import { createClient } from 'graphql-sse'

const { FRESHET_URL: url = 'http://127.0.0.1:4000/graphql', FRESHET_KEY: key = '' } = process.env
const query = `subscription ($after: String) { runEvents(after: $after) {
  __typename
  ... on StreamStart { cursor }
  ... on RunEvent { cursor runId number kind stage counters code message }
} }`
const silentMs = 40_000 // the server says every 15 s that it lives
const longestWaitMs = 30_000
// Trying again would change nothing: the key is wrong, may not do this or was revoked, or what we ask for is.
const finalCodes = ['INVALID_KEY', 'UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'BAD_REQUEST']
const finalStatuses = [400, 401, 403]

let cursor = null // keep it where your results are kept, in the same transaction
let waitMs = 1_000
for (;;) {
  // No retries by the client itself: it would begin again from the old `after`.
  const headers = { authorization: `Bearer ${key}` }
  const client = createClient({ url, headers, retryAttempts: 0, fetchFn: fetchAndKeepRefusal })
  let timer
  try {
    const stream = client.iterate({ query, variables: { after: cursor } })
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => client.dispose(), silentMs)
    }
    watch()
    for await (const { data, errors } of stream) {
      watch()
      if (errors) throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions?.code })
      waitMs = 1_000
      const message = data.runEvents
      if (message.__typename === 'RunEvent') console.log(message.runId, message.number, message.kind, message.stage)
      if (message.cursor) cursor = message.cursor
    }
  } catch (error) {
    // What is refused before the stream begins has its code and its hint in the body of the answer.
    const { status, headers, refusal } = error.response ?? {}
    const { code = refusal?.extensions?.code ?? status ?? 'DISCONNECTED' } = error
    console.error(`${code}: ${refusal?.message ?? error.message}`)
    if (refusal?.extensions?.hint) console.error(refusal.extensions.hint)
    if (status === 401) console.error(`Is ${url} the server that this key is of? FRESHET_URL names another one.`)
    if (finalCodes.includes(code) || finalStatuses.includes(status)) {
      process.exitCode = 1
      break
    }
    if (code === 'CURSOR_EXPIRED') cursor = null // read the present state with the query `runs`, then go on from now
    if (status === 429) waitMs = Number(headers.get('retry-after') ?? 60) * 1_000
  } finally {
    clearTimeout(timer)
    client.dispose()
  }
  await new Promise((resolve) => setTimeout(resolve, waitMs))
  waitMs = Math.min(waitMs * 2, longestWaitMs)
}

/** Keeps why a request was refused: the client knows the status alone. The answer is an event, as was asked for, or plain JSON. */
async function fetchAndKeepRefusal(...request) {
  const response = await fetch(...request)
  if (response.ok) return response
  const text = await response.text().catch(() => '')
  const [json] = /\{.*\}/s.exec(text) ?? []
  return Object.assign(response, { refusal: json && readError(json) })
}

function readError(json) {
  try {
    return JSON.parse(json).errors[0]
  } catch {
    return undefined // not an answer of Freshet's
  }
}
