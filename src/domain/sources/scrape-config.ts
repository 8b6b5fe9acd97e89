import { z } from 'zod'
import { must, text } from '../input.ts'

/** Headers that the fetcher sets itself, that belong to one connection, or that carry a secret: a source is no place for one. */
const forbiddenHeaders =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-.*|proxy-.*|user-agent|accept-encoding|range|if-.*|forwarded|x-forwarded-.*)$|auth|cookie|token|secret|passw|credential|signature|session|key/i

const header = z.strictObject({
  name: text(100)
    .regex(/^[A-Za-z0-9-]+$/, 'may hold only letters, digits and hyphens.')
    .refine((name) => !forbiddenHeaders.test(name), 'may not be set here.'),
  value: text(500).regex(/^[\x20-\x7e]*$/, 'may hold only printable ASCII.'),
})

const eachOnce = (headers: { name: string }[]) =>
  new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length

/** How the pages of a source are fetched. Stored without what was left out: it says only what differs from the defaults. */
export const ScrapeConfig = z
  .strictObject(
    {
      requestsPerSecond: z
        .number(must('a number'))
        .positive('must be more than 0.')
        .max(10, 'must be at most 10.')
        .nullish(),
      fetcherType: z.enum(['http', 'browser'], must('http or browser')).nullish(),
      customHeaders: z
        .array(header)
        .max(20, 'may have at most 20 headers.')
        .refine(eachOnce, 'names a header twice.')
        .nullish(),
    },
    must('a configuration'),
  )
  .transform(
    (given) => JSON.parse(JSON.stringify(given, (_key, value: unknown) => value ?? undefined)) as Record<string, never>,
  )
