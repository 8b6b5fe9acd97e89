/** As many characters as tell how a file is written. */
export const sampleCharacters = 65_536

export type Peeked = {
  sample: string
  /** Whether the sample is all there is. */
  isWhole: boolean
  /** The whole text, sample included; to be read once. */
  text: AsyncIterable<string>
}

/** Looks at the start of a text without losing it. What the text fails with behind its start comes when it is read. */
export async function peek(text: AsyncIterable<string>, characters = sampleCharacters): Promise<Peeked> {
  const pieces = text[Symbol.asyncIterator]()
  let sample = ''
  let isWhole = false
  let failure: { error: unknown } | undefined
  try {
    while (sample.length < characters && !isWhole) {
      const piece = await pieces.next()
      if (piece.done) isWhole = true
      else sample += piece.value
    }
  } catch (error) {
    if (sample.trim() === '') throw error
    failure = { error }
  }
  return {
    sample: sample.slice(0, characters),
    isWhole: isWhole && sample.length <= characters,
    text: again(sample, pieces, failure),
  }
}

async function* again(
  start: string,
  rest: AsyncIterator<string>,
  failure?: { error: unknown },
): AsyncGenerator<string> {
  try {
    if (start) yield start
    if (failure) throw failure.error
    for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}
