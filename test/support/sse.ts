/** The first message of a stream, as JSON; then the stream is left. What is no stream is returned as it came. */
export async function firstMessage(response: Response): Promise<string> {
  for await (const message of messagesOf(response)) return message
  return response.bodyUsed ? '' : response.text()
}

/** The messages of a stream as JSON, until it ends or the caller stops. */
export async function* messagesOf(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return
  let rest = ''
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const data = /^event: next\ndata: (.*)$/m.exec(part)?.[1]
      if (data) yield data
    }
  }
}
