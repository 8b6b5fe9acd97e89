// Watches the events of all runs and resumes behind the last one seen, however often the connection breaks.
// Usage: FRESHET_URL=http://127.0.0.1:4000/graphql FRESHET_KEY=frs_… node examples/watch-runs.mjs
import { createClient } from 'graphql-sse'

const { FRESHET_URL: url = 'http://127.0.0.1:4000/graphql', FRESHET_KEY: key } = process.env
const query = `subscription ($after: String) { runEvents(after: $after) {
  __typename
  ... on StreamStart { cursor }
  ... on RunEvent { cursor runId number kind stage counters code message }
} }`
const silentMs = 40_000 // the server says every 15 s that it lives

let cursor = null // keep it where your results are kept, in the same transaction
for (;;) {
  // No retries by the client itself: it would begin again from the old `after`.
  const client = createClient({ url, retryAttempts: 0, headers: { authorization: `Bearer ${key}` } })
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
      const message = data.runEvents
      if (message.__typename === 'RunEvent') console.log(message.runId, message.number, message.kind, message.stage)
      if (message.cursor) cursor = message.cursor
    }
  } catch (error) {
    console.error(`${error.code ?? 'DISCONNECTED'}: ${error.message}`)
    if (error.code === 'CURSOR_EXPIRED') cursor = null // read the present state with the query `runs`, then go on from now
    if (['INVALID_KEY', 'UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code)) break
  } finally {
    clearTimeout(timer)
    client.dispose()
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
