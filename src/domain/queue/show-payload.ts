import { scrub } from '../../log.ts'
import { isDeeper } from '../text.ts'

const secretName = /pass|secret|token|credential|authorization|api_?key/i

const largestShown = 100_000
const tooLarge = 'too large to show'

/** What a job carries, fit to be shown. It holds ids by rule; what looks like a secret all the same is covered. */
export function showPayload(payload: unknown): unknown {
  if (payload === null || payload === undefined) return null
  if (isDeeper(payload)) return tooLarge
  const cover = (key: string, value: unknown) =>
    key !== '' && secretName.test(key) && value !== null ? '********' : typeof value === 'string' ? scrub(value) : value
  const json = JSON.stringify(payload, cover)
  return json.length > largestShown ? tooLarge : (JSON.parse(json) as unknown)
}
