import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp, type Answer, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { cutOff } from './cut-off.ts'
import { createTrial } from './trial-schema.ts'

const trial = createTrial()
const hurried = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_REQUEST_SECONDS: '1' }, schema: trial.schema })
afterAll(() => hurried[Symbol.asyncDispose]())
const narrow = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_POOL_SIZE: '2' }, schema: trial.schema })
afterAll(() => narrow[Symbol.asyncDispose]())
const whole = await startTestApp()
afterAll(() => whole[Symbol.asyncDispose]())

const importing = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_REQUEST_SECONDS: '1' } })
afterAll(() => importing[Symbol.asyncDispose]())
const committing = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_REQUEST_SECONDS: '1' } })
afterAll(() => committing[Symbol.asyncDispose]())

/** Lets the commit of a retailer called Slow take a while, longer than a request may. */
const slowCommit = `
  create function public.wait() returns trigger language plpgsql as 'begin perform pg_sleep(1.2); return null; end';
  create constraint trigger wait after insert on freshet.retailers deferrable initially deferred
    for each row when (new.name = 'Slow') execute function public.wait()`

async function send(app: TestApp, query: string, key?: string) {
  const started = performance.now()
  const response = await app.post({ query }, key ? { key } : {})
  const { data, errors } = (await response.json()) as Answer
  const seconds = (performance.now() - started) / 1000
  return { status: response.status, data, codes: errors?.map(({ extensions }) => extensions.code), errors, seconds }
}
const sleeping = async ({ pool }: TestApp) => {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where datname = current_database() and query ~ '^select pg_sleep' and state = 'active'",
  )
  return rowCount
}

const transactions = async ({ pool }: TestApp) => {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where datname = current_database() and application_name = 'freshet' and xact_start is not null",
  )
  return rowCount
}

describe.concurrent('when time or connections run out', () => {
  test('a request that takes too long is given up, and so is its SQL', async () => {
    const { status, data, codes, errors, seconds } = await send(hurried, '{ sleep(seconds: 15) }')
    expect({ status, data, codes }).toEqual({ status: 504, data: undefined, codes: ['REQUEST_TIMEOUT'] })
    expect(errors?.[0]?.message).toBe('The request took longer than 1 s.')
    expect(seconds).toBeGreaterThanOrEqual(0.99)
    expect(seconds).toBeLessThan(3)
    await until('Postgres sleeps no more', async () => (await sleeping(hurried)) === 0, 3_000)
  })

  test('a look-up of the key that takes too long is given up as well', async () => {
    const key = await hurried.keyWith('READ')
    const holder = await hurried.pool.connect()
    await holder.query('begin; lock table freshet.api_keys in access exclusive mode')
    const { status, codes } = await send(hurried, '{ hello }', key)
    await holder.query('rollback')
    holder.release()
    expect({ status, codes }).toEqual({ status: 504, codes: ['REQUEST_TIMEOUT'] })
  })

  test('an import that was given up is not stored later, when what it waited for is free', async () => {
    const holder = await importing.pool.connect()
    await holder.query('begin; lock table freshet.retailers in share mode')
    const mutation = 'mutation { importRetailers(csv: "name\\nToo late") { created } }'
    const { status, codes, errors } = await send(importing, mutation, importing.firstKey)
    expect({ status, codes }).toEqual({ status: 504, codes: ['REQUEST_TIMEOUT'] })
    expect(errors?.[0]?.message).toBe('The request took longer than 1 s.')
    await holder.query('commit')
    holder.release()
    await until('no transaction is open', async () => (await transactions(importing)) === 0)
    const { rows } = await importing.pool.query("select slug from freshet.retailers where slug = 'too-late'")
    expect(rows).toEqual([])
  })

  test('whoever is given up while his change is being committed is told to look, and how', async () => {
    await committing.pool.query(slowCommit)
    const mutation = 'mutation { createRetailer(input: { name: "Slow" }) { id } }'
    const { codes, errors } = await send(committing, mutation, committing.firstKey)
    expect(codes).toEqual(['REQUEST_TIMEOUT'])
    expect(errors?.[0]?.message).toBe('The request took longer than 1 s. It may have stored what it was to change.')
    const [, requestId] =
      /auditLog\(filter: \{ requestId: "([^"]+)" \}\)/.exec(errors?.[0]?.extensions.hint ?? '') ?? []
    await until('no transaction is open', async () => (await transactions(committing)) === 0)
    const found = await committing.pool.query('select action from freshet.audit_log where request_id = $1', [requestId])
    expect(found.rows).toEqual([{ action: 'CREATE_RETAILER' }])
  })

  test('what comes after the part that took too long is not begun', async () => {
    const { codes } = await send(hurried, 'mutation { held note(text: "too late") }')
    expect(codes).toEqual(['REQUEST_TIMEOUT'])
    trial.letGo()
    expect((await send(hurried, 'mutation { note(text: "in time") }')).codes).toBeUndefined()
    expect(trial.notes).toEqual(['in time'])
  })

  test('what Postgres undid for the sake of another transaction may be tried again', async () => {
    const { codes, errors } = await send(narrow, '{ fail(how: "deadlock") }')
    expect(codes).toEqual(['SERVICE_UNAVAILABLE'])
    expect(errors?.[0]?.extensions.hint).toBe('Try again in a few seconds.')
  })

  test('R16: with all connections used up errors are clear, and all is well as soon as one is free', async () => {
    const key = await narrow.keyWith('READ')
    const holding = [send(narrow, '{ sleep(seconds: 7) }'), send(narrow, '{ sleep(seconds: 7) }')]
    await until('both connections sleep', async () => (await sleeping(narrow)) === 2)
    const refused = await Promise.all([
      send(narrow, '{ hello }', key),
      send(narrow, '{ sleep(seconds: 0) }'),
      ...Array.from({ length: 20 }, () => send(narrow, '{ sleep(seconds: 0) }')),
    ])
    expect(refused[0]).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
    expect(refused.flatMap(({ codes }) => codes)).toEqual(Array(22).fill('SERVICE_UNAVAILABLE'))
    expect(refused[1]?.errors?.[0]?.message).toBe('The database cannot be reached, or is too busy.')
    expect(await send(narrow, '{ hello }')).toMatchObject({ status: 200, data: { hello: 'hello' } })
    for (const { data } of await Promise.all(holding)) expect(data).toEqual({ sleep: 'slept' })
    const recovered = await send(narrow, '{ sleep(seconds: 0) }', key)
    expect(recovered).toMatchObject({ status: 200, data: { sleep: 'slept' } })
    expect(recovered.seconds).toBeLessThan(1)
  })

  test('R2: Postgres goes and comes back: no process ends, and within 10 s all works again', async () => {
    const count = '{ retailers { totalCount } }'
    const [key, ticked] = [whole.firstKey, await lastTick(whole)]
    expect((await send(whole, count, key)).codes).toBeUndefined()
    const open = await cutOff(whole.database.url)
    for (let index = 0; index < 5; index++) {
      expect(await send(whole, count, key)).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
      expect(await send(whole, count)).toMatchObject({ status: 200, codes: ['SERVICE_UNAVAILABLE'] })
    }
    await until('the loss of LISTEN is noticed', () => logged(whole, 'the LISTEN connection was lost'))
    const failing = await send(whole, count, key)
    expect(JSON.stringify(failing.errors)).not.toMatch(/accepting|terminat|freshet_test|prisma/i)
    await open()
    const started = performance.now()
    await until('a query works', async () => (await send(whole, count, key)).codes === undefined)
    await until('LISTEN is back', () => logged(whole, 'the LISTEN connection is back'))
    await until('the clock ticks', async () => (await lastTick(whole)) > ticked)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

const logged = ({ log }: TestApp, text: string) => log.some((line) => line.includes(text))

async function lastTick({ pool }: TestApp): Promise<number> {
  const { rows } = await pool.query<{ at: Date }>('select last_tick_at as at from freshet.clock')
  return rows[0]?.at.getTime() ?? 0
}
