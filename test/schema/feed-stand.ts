import { expect } from 'vitest'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { startTestApp, type AnswerError } from '../support/app.ts'
import { aRetailer, aSource } from '../support/rows.ts'

export type FeedAnswer = Record<string, unknown> & { id: string }
export type Asked = { data: Record<string, FeedAnswer> | null; errors?: AnswerError[] }

const feedFields =
  'id status statusReason transport tlsMode host port path username hasPassword secretKeyId dialect columnMap decimalMark expiryHours holdHours scheduleFrequencyHours scheduleCron timeZone nextRunAt hostKeys maxFileSizeBytes consecutiveFailures manualRunPending'
export const createDocument = `mutation ($input: CreateFeedInput!) { createFeed(input: $input) { ${feedFields} } }`
export const updateDocument = `mutation ($input: UpdateFeedInput!, $confirm: Boolean) { updateFeed(input: $input, confirm: $confirm) { ${feedFields} } }`

/** What a feed needs to be enabled. */
export const whole = { host: 'feeds.example', path: '/catalog.csv.gz', username: 'shop', password: 'open sesame' }

export const codes = ({ errors }: Asked) => errors?.map(({ extensions }) => [extensions.code, extensions.field])
export const problemsOf = ({ errors }: Asked) =>
  errors?.flatMap(({ extensions }) => (extensions.problems ?? []).map(({ field, message }) => `${field} ${message}`))
export const number = (id: string) => readId(id)!.id

/** A server that works on no job, and the ways to make feeds there and to change them as its administrator. */
export async function openFeedStand(options: Parameters<typeof startTestApp>[0] = {}) {
  const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, ...options })
  const { pool } = app
  const send = async (document: string, variables: object, key = app.firstKey) =>
    (await app.ask(document, variables, { key })) as Asked
  const newSource = async (columns = {}) =>
    encodeId('Source', await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED', ...columns }))
  return {
    app,
    pool,
    send,
    newSource,
    created: async (input: object = {}, sourceId?: string) => {
      const given = { sourceId: sourceId ?? (await newSource()), ...input }
      const { data, errors } = await send(createDocument, { input: given })
      expect(errors).toBeUndefined()
      return data!.createFeed!
    },
    updated: async (input: object) => {
      const { data, errors } = await send(updateDocument, { input })
      expect(errors).toBeUndefined()
      return data!.updateFeed!
    },
    /** Asks for one of the mutations that take a feed's id; `rest` are its other arguments. */
    statusOf: (mutation: string, id: string, rest = '') =>
      send(`mutation ($id: ID!) { ${mutation}(id: $id${rest}) { ${feedFields} } }`, { id }),
    stored: async (id: string) =>
      (await pool.query<FeedAnswer>('select * from freshet.feeds where id = $1', [number(id)])).rows[0]!,
    audited: async (id: string) =>
      (
        await pool.query<{ action: string; changes: Record<string, unknown> }>(
          "select action, changes from freshet.audit_log where object_type = 'Feed' and object_id = $1 order by id",
          [number(id)],
        )
      ).rows,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
