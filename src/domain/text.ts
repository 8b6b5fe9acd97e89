/** The most that is kept of a message or a hint; Postgres refuses more (sql/migrations/0003_runs.sql). */
export const longestMessage = 2_000
/** The most that is kept of what a job returns, in bytes of JSON. */
const largestOutput = 100_000
/** Deeper than anything of ours, and far from what a JSON parser or Postgres gives up at. */
const deepest = 100

/**
 * A text that Postgres can keep, of at most `max` characters. It knows no NUL and no half of a surrogate pair: they become the
 * replacement character, for a job must not fail because of the words in which it tells how it went.
 */
export function cleanText(text: string, max = longestMessage): string {
  const short = text.length > max ? `${text.slice(0, max - 1)}…` : text
  return short.replaceAll('\u0000', '\uFFFD').toWellFormed()
}

/** JSON that Postgres can keep, names of fields included. In JSON an escaped surrogate is always half of a pair. */
export const cleanJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
    escape.length === 6 && /^\\u(0000|d)/.test(escape) ? '\\ufffd' : escape,
  )

/** Whether a value has more than `levels` objects and lists inside each other. One that holds itself has. */
export function isDeeper(value: unknown, levels = deepest): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1))
}

/** What a job returned, fit to be kept; of what is too large, or no JSON, a note that says so. */
export function cleanOutput(output: object): object {
  if (isDeeper(output)) return { note: `The output is not kept: it is more than ${deepest} levels deep.` }
  try {
    const json = cleanJson(output)
    if (Buffer.byteLength(json) > largestOutput)
      return { note: `The output is not kept: it has more than ${largestOutput} bytes.` }
    return Object(JSON.parse(json)) as object
  } catch {
    return { note: 'The output is not kept: it is no JSON.' }
  }
}

/** A text without certain characters at its end, in one pass: a pattern like `/x+$/` tries again at each of them. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
