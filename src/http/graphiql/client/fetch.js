import { readKey } from './key.js'

// Every request of GraphiQL goes through window.fetch, subscriptions too, so this is where the key is added and where
// a refusal is noticed.

const refusals = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'INVALID_KEY', 'TOO_MANY_ATTEMPTS'])

/**
 * Adds the key to each request to the endpoint, and the mark that no other site sent it, without which a stream needs a key; tells `onAnswer` the code of a refusal, or undefined for an answer.
 */
export function authorizeFetch(endpoint, onAnswer) {
  const plainFetch = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.origin !== location.origin || url.pathname !== endpoint) return plainFetch(request)
    request.headers.set('x-freshet-csrf', '1')
    const key = readKey()
    // A header typed into GraphiQL's own headers pane is left as it is.
    if (key && !request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${key}`)
    return watch(await plainFetch(request), onAnswer)
  }
}

function watch(response, onAnswer) {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return watchStream(response, onAnswer)
  response
    .clone()
    .json()
    .then(
      (result) => onAnswer(refusalIn(result)),
      () => {}, // not JSON: GraphiQL shows it
    )
  return response
}

/** Looks at each event in passing: the stream is neither held up nor read twice. */
function watchStream(response, onAnswer) {
  const decoder = new TextDecoder()
  let rest = ''
  const look = new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop()
      for (const line of lines) if (line.startsWith('data: {')) onAnswer(refusalIn(JSON.parse(line.slice(6))))
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(look), response)
}

function refusalIn(result) {
  return result.errors?.map((error) => error.extensions?.code).find((code) => refusals.has(code))
}
