import { afterAll, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { jobsIn, makeFailure, makeJob, makeQueue } from '../support/queue.ts'
import { startRun, storedRun } from '../support/runs.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_PROXY_HOPS: '1' } })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const admin = await app.keyWith('ADMIN')

let count = 0
let queue = ''
beforeEach(async () => {
  queue = `page-${String.fromCodePoint(97 + count++)}`
  await makeQueue(pool, queue)
})

const basic = (key: string, name = 'me') => ({
  authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
})
let addresses = 0
/** Each test from an address of its own: wrong keys are counted by address. */
const from = () => ({ 'x-forwarded-for': `10.1.0.${++addresses}` })
const get = (path: string, headers: Record<string, string> = basic(admin)) =>
  fetch(`${app.url}${path}`, { headers: { ...from(), ...headers }, redirect: 'manual' })
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { ...from(), ...basic(admin), origin: app.url, ...headers },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
const recorded = async () =>
  (
    await pool.query<{ action: string; object_type: string; object_id: string; changes: object; actor: string }>(
      'select action, object_type, object_id, changes, actor from freshet.audit_log where object_id is not null order by id desc limit 1',
    )
  ).rows[0]
const countAudit = async () =>
  (await pool.query<{ n: number }>('select count(*)::int as n from freshet.audit_log')).rows[0]!.n
const actor = `ADMIN (${admin.slice(0, 12)}…)`

test('RULINGS 28: /queues shows the queues to a browser that has an ADMIN key as its password', async () => {
  const response = await get('/queues/queues')
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const html = await response.text()
  expect(html).toContain(queue)
  expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org|127\.0\.0\.1|localhost)[a-z]/)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[^;]*; /)
  expect(policy).toContain("frame-ancestors 'none'")
})

test("a job's page shows what it carries and why it failed, though the dashboard knows an older pg-boss", async () => {
  const { id } = await makeFailure(pool, queue, { payload: { feedId: 'seven' } })
  const response = await get(`/queues/queues/${queue}/jobs/${id}`)
  const html = await response.text()
  expect([response.status, html.includes('seven'), html.includes('The file is gone.')]).toEqual([200, true, true])
})

test('a page that is not there is a 404, and one line of the log', async () => {
  const before = app.log.length
  expect((await get('/queues/nonsense')).status).toBe(404)
  expect((await get(`/queues/queues/${queue}/jobs/abc`)).status).toBe(404)
  const told = app.log.slice(before).filter((line) => line.includes('a page of the dashboard failed'))
  expect(told).toEqual([expect.stringContaining('No route matches URL')])
  expect(told[0]).toContain('"requestId"')
})

test('without a key the browser is told to ask for one', async () => {
  const attempts: Record<string, string>[] = [{}, { authorization: `Bearer ${admin}` }, { authorization: 'Basic !' }]
  for (const headers of attempts) {
    const response = await get('/queues', headers)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="Freshet queues", charset="UTF-8"')
  }
})

test('a key in the place of the name is told where it belongs', async () => {
  const response = await get('/queues', { ...basic('', admin), ...from() })
  expect(response.status).toBe(401)
  expect(await response.text()).toContain('Put the key into the password, not the name.')
})

test.each(['READ', 'OPERATE'] as const)('a key with %s is refused, for pages, files and changes', async (scope) => {
  const key = await app.keyWith(scope)
  const { id } = await makeFailure(pool, queue)
  const before = await countAudit()
  for (const path of ['/queues', '/queues/queues', '/queues/assets/no-fonts.css', '/queues.data'])
    expect((await get(path, basic(key))).status).toBe(403)
  expect((await post(`/queues/queues/${queue}`, { intent: 'retry', jobId: id }, basic(key))).status).toBe(403)
  expect(await jobsIn(pool, queue)).toHaveLength(1)
  expect(await countAudit()).toBe(before)
})

test('a revoked key is refused at the next request', async () => {
  const key = await app.keyWith('ADMIN')
  expect((await get('/queues', basic(key))).status).toBe(200)
  await pool.query('update freshet.api_keys set revoked_at = now() where prefix = $1', [key.slice(0, 12)])
  expect((await get('/queues', basic(key))).status).toBe(401)
})

test('ten wrong keys a minute are answered 401, the next one 429, also for GraphQL', async () => {
  const headers = { 'x-forwarded-for': '10.9.9.9' }
  const wrong = (n: number) => basic(`frs_${String(n).padStart(43, '0')}`)
  for (let n = 0; n < 10; n++)
    expect((await fetch(`${app.url}/queues`, { headers: { ...headers, ...wrong(n) } })).status).toBe(401)
  const refused = await fetch(`${app.url}/queues`, { headers: { ...headers, ...wrong(10) } })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  const graphql = await app.post({ query: '{ __typename }' }, { key: `frs_${'z'.repeat(43)}`, headers })
  expect(graphql.status).toBe(429)
})

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another site, by its origin alone', { origin: 'https://evil.example' }],
  ['a neighbour', { 'sec-fetch-site': 'same-site' }],
  ['an address of no page', { origin: 'null' }],
])('RULINGS 28: a form of %s changes nothing', async (_what, headers) => {
  const { id } = await makeFailure(pool, queue)
  const before = await countAudit()
  const response = await post(`/queues/queues/${queue}`, { intent: 'retry', jobId: id }, headers)
  expect(response.status).toBe(403)
  expect(await jobsIn(pool, queue)).toMatchObject([{ id, state: 'failed' }])
  expect(await countAudit()).toBe(before)
})

test('RULINGS 1 and 28: a retry makes a new job and is recorded', async () => {
  const { id } = await makeFailure(pool, queue)
  const response = await post(`/queues/queues/${queue}.data`, { intent: 'retry', jobId: id })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(
    '[{"_1":2},"data",{"_3":4,"_5":6,"_7":8},"success",true,"affected",1,"message","A new job was made"]\n',
  )
  const [old, next] = await jobsIn(pool, queue)
  expect([old?.state, next?.state]).toEqual(['cancelled', 'created'])
  expect(await recorded()).toEqual({
    action: 'RETRY_JOB',
    object_type: 'Job',
    object_id: id,
    changes: { queue: { to: queue }, repeatedAs: { to: next?.id } },
    actor,
  })
  const again = await post(`/queues/queues/${queue}/jobs/${id}.data`, { intent: 'retry' })
  expect(await again.text()).toContain(`The job was repeated already, as ${next?.id}.`)
})

test('RULINGS 1: a cancellation ends the run too', async () => {
  const id = await makeJob(pool, queue, { state: 'active' })
  const run = await startRun(pool, { jobId: id })
  const response = await post(`/queues/queues/${queue}/jobs/${id}`, { intent: 'cancel' })
  expect([response.status, response.headers.get('location')]).toEqual([303, `/queues/queues/${queue}/jobs/${id}`])
  expect((await storedRun(pool, run.id)).run).toMatchObject({
    status: 'FAILED',
    error_code: 'CANCELLED_BY_OPERATOR',
    is_counted: false,
  })
  expect(await recorded()).toMatchObject({ action: 'CANCEL_JOB', object_id: id, actor })
})

test('a cancelled job that is resumed is repeated', async () => {
  const id = await makeJob(pool, queue, { state: 'cancelled' })
  await post(`/queues/queues/${queue}.data`, { intent: 'resume', jobId: id })
  expect((await jobsIn(pool, queue)).map(({ state }) => state)).toEqual(['cancelled', 'created'])
})

test('RULINGS 1: deleting a job ends its run too, and what was not there is not recorded as deleted', async () => {
  const id = await makeJob(pool, queue, { state: 'active' })
  const run = await startRun(pool, { jobId: id })
  const remove = () => post(`/queues/queues/${queue}.data`, { intent: 'delete', jobId: id })
  expect((await remove()).status).toBe(200)
  expect(await jobsIn(pool, queue)).toEqual([])
  expect((await storedRun(pool, run.id)).run).toMatchObject({ status: 'FAILED', error_code: 'CANCELLED_BY_OPERATOR' })
  expect(await recorded()).toMatchObject({
    action: 'DELETE_JOB',
    changes: { state: { from: 'active' }, run: { to: true } },
  })
  const before = await countAudit()
  const again = await remove()
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('There is no such job.')])
  expect(await countAudit()).toBe(before)
})

test.each(['created', 'retry', 'active'])(
  'a dead letter that is %s, so not told yet, is not deleted',
  async (state) => {
    const { letterId } = await makeFailure(pool, queue, { letter: state })
    const before = await countAudit()
    const response = await post(`/queues/queues/${queue}-dead.data`, { intent: 'delete', jobId: letterId })
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('is not recorded yet')])
    expect(await jobsIn(pool, `${queue}-dead`)).toContainEqual(expect.objectContaining({ id: letterId, state }))
    expect(await countAudit()).toBe(before)
  },
)

test.each([
  ['/queues/send', { queueName: 'no-such-queue', data: '{}' }],
  ['/queues/send', { queueName: 'a\0b', data: '{}' }],
  ['/queues/send', { queueName: 'x'.repeat(500_000), data: '{}' }],
  ['/queues/queues/%00', { intent: 'delete', jobId: '00000000-0000-4000-8000-000000000000' }],
])('%s to a queue that is not there is refused, and not recorded as done', async (path, form) => {
  const before = await countAudit()
  expect((await post(path, form)).status).toBe(409)
  expect(await countAudit()).toBe(before)
})

test('a deleted job and a new one are recorded', async () => {
  const { id } = await makeFailure(pool, queue)
  const deleted = await post(`/queues/queues/${queue}.data`, { intent: 'delete', jobId: id })
  expect(deleted.status).toBe(200)
  expect(await jobsIn(pool, queue)).toEqual([])
  expect(await recorded()).toMatchObject({ action: 'DELETE_JOB', object_type: 'Job', object_id: id, actor })
  const sent = await post('/queues/send', { queueName: queue, data: '{"number":1}' })
  expect(sent.status).toBe(302)
  expect(await jobsIn(pool, queue)).toMatchObject([{ state: 'created', data: { number: 1 } }])
  expect(await recorded()).toMatchObject({ action: 'SEND_JOB', object_type: 'Queue', object_id: queue, actor })
})

test.each([
  ['/queues/queues/create', { queueName: 'mine' }],
  ['/queues/schedules/new', { name: 'notify', cron: '* * * * *' }],
  ['/queues/queues/notify', { intent: 'drop', jobId: '00000000-0000-4000-8000-000000000000' }],
  ['/queues/queues/notify', { intent: 'retry', jobId: "' or true" }],
  ['/queues/queues/%ff/jobs/00000000-0000-4000-8000-000000000000', { intent: 'retry' }],
])('%s with %o is not done through the dashboard', async (path, form) => {
  const before = await countAudit()
  expect((await post(path, form)).status).toBe(403)
  expect(await countAudit()).toBe(before)
})

test('a body that is too large, of unknown length or no form is refused', async () => {
  const large = await post('/queues/send', { queueName: queue, data: 'x'.repeat(1_100_000) })
  expect(large.status).toBe(413)
  const json = await fetch(`${app.url}/queues/send`, {
    method: 'POST',
    headers: { ...from(), ...basic(admin), origin: app.url, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(json.status).toBe(415)
  const deleted = await fetch(`${app.url}/queues`, { method: 'DELETE', headers: { ...from(), ...basic(admin) } })
  expect(deleted.status).toBe(405)
})

test('600 requests a minute with one key are answered, the next is asked to wait', async () => {
  const key = await app.keyWith('ADMIN')
  const status = async () => (await get('/queues/assets/no-fonts.css', basic(key))).status
  const answers: number[] = []
  for (let batch = 0; batch < 30; batch++) answers.push(...(await Promise.all(Array.from({ length: 20 }, status))))
  const refusals = answers.filter((answer) => answer !== 200).length
  const last = await get('/queues/assets/no-fonts.css', basic(key))
  // The minute may have turned while they were sent.
  expect(refusals === 0 && (last.status === 429 || last.status === 200)).toBe(true)
})

test('its connections are few, its own, and gone when the server stops', async () => {
  await using other = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
  const connections = async () =>
    (
      await other.pool.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where application_name = 'freshet:dashboard' and datname = current_database()",
      )
    ).rows[0]!.n
  expect(await connections()).toBe(0)
  const key = basic(await other.keyWith('ADMIN'))
  const pages = Array.from({ length: 12 }, () => fetch(`${other.url}/queues/queues`, { headers: key }))
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(Array<number>(12).fill(200))
  const open = await connections()
  expect([open > 0, open <= 10]).toEqual([true, true])
  await other.stop()
  await until('the server has let go of them', async () => (await connections()) === 0)
})

test('a process that only works has no dashboard', async () => {
  await using worker = await startTestApp({ env: { FRESHET_ROLE: 'worker' } })
  const response = await fetch(`${worker.url}/queues`, { headers: basic(await worker.keyWith('ADMIN')) })
  expect(response.status).toBe(404)
})
