import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { query } from '../db/embedded/stand.ts'
import { aFolder, run, runJson, start } from './stand.ts'

const folder = await aFolder()
afterAll(() => folder[Symbol.asyncDispose]())
const env = { FRESHET_DATA_DIR: join(folder.dir, 'demo'), PORT: '0' }

test(
  'fills itself through the API, shows what to try, stops; a second time it changes nothing and shows the same keys',
  { timeout: 60_000 },
  async () => {
    // A database for real work is left alone.
    await using program = start(['demo', '--once'], { ...env, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/real' })
    const { code, out, err } = await program.ended
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^ {2}making the database in .*\/demo …\n {2}starting Postgres …\n {2}bringing the database up to date: the queue, /,
    )
    const [, adminKey = ''] = /^ {2}Admin key {2}(frs_[\w-]{43})$/m.exec(out) ?? []
    const [, readKey = ''] = /-H 'authorization: Bearer (frs_[\w-]{43})'/.exec(out) ?? []
    expect(out).toMatch(/^ {2}GraphiQL {3}http:\/\/127\.0\.0\.1:\d+\/graphql$/m)
    expect(out).toContain('{"data":{"offers":{"totalCount":4993,"nodes":[{"title":"Light lantern 1",')
    // What it says is to be believed: the mutation that it prints does what it says.
    expect(out).toMatch(/approveActivation\(runId: "\w+={0,2}", expectedWouldExpire: 1997\)/)
    expect(out).toMatch(
      /an alert: a run of "Harbour Books pages" .*\n.*a job that failed for good, and its dead letter/,
    )
    // Whoever wants to connect a feed of their own finds a server to do so.
    const [, password = '', catalog = ''] =
      /^ {2}SFTP {7}127\.0\.0\.1:\d+, user meadow, password in (\S+)\n.* is (\S+): change that file/m.exec(out) ?? []
    expect(await readFile(password, 'utf8')).toMatch(/^frs_[\w-]{43}\n$/)
    expect(await readFile(catalog, 'utf8')).toMatch(/^Catalog Item Id,Name,/)
    for (const [name, key] of [
      ['demo-admin-key', adminKey],
      ['demo-read-key', readKey],
    ] as const) {
      const file = join(env.FRESHET_DATA_DIR, name)
      expect(await readFile(file, 'utf8')).toBe(`${key}\n`)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }
    const before = await state()

    const again = await runJson(['demo', '--once'], { env })
    expect(again.code).toBe(0)
    expect(again.answer.demo).toMatchObject({ adminKey, readKey, answer: { offers: { totalCount: 4993 } } })
    expect(await state()).toEqual(before)
    expect(before).toEqual({
      retailers: 6,
      sources: 8,
      runs: ['SUCCEEDED', 'SUCCEEDED {SPIKE_THRESHOLD_EXCEEDED}'],
      errors: { PRICE_ON_REQUEST: 6, TITLE_MISSING: 5 },
      keys: ['admin (from FRESHET_ADMIN_KEY):{ADMIN}', 'demo reader:{READ}'],
      primaries: [
        'Alpine via Awin',
        'Brook & Stone direct',
        'Kitchen Corner direct',
        'Meadow Outdoor via Impact',
        'Northern Lights direct',
      ],
      reviewed: ['Harbour Books pages'],
      alerts: ['RUN_REAPED: SCRAPE'],
      jobs: ['maintenance: failed', 'maintenance-dead: completed'],
      failure: 'JOB_PAYLOAD_INVALID',
      changes: [
        'CREATE_API_KEY',
        // The lists of retailers and of sources, an entry for each of them.
        ...Array.from({ length: 5 }, () => 'CREATE_RETAILER'),
        'CREATE_SOURCE SET_DISPLAY_PRIMARY',
        ...Array.from({ length: 3 }, () => 'CREATE_SOURCE CREATE_SOURCE SET_DISPLAY_PRIMARY'),
        'REVIEW_SOURCE SET_DISPLAY_PRIMARY CREATE_RETAILER CREATE_SOURCE SET_DISPLAY_PRIMARY',
        'CREATE_FEED CREDENTIAL_CHANGED ENABLE_FEED RUN_FEED HOST_KEY_LEARNED RUN_FEED',
        'CREATE_FEED CREDENTIAL_CHANGED ENABLE_FEED CREATE_API_KEY',
      ].join(' '),
    })
  },
)

/** What the demo left in its database. */
async function state() {
  await using server = await openEmbedded(env.FRESHET_DATA_DIR)
  const [row] = await query<Record<string, unknown>>(
    server.url('freshet'),
    `select
      (select count(*)::int from freshet.retailers) as retailers,
      (select count(*)::int from freshet.sources) as sources,
      array(select concat_ws(' ', r.status, nullif(f.block_reasons::text, '{}')) from freshet.feed_runs f
        join freshet.runs r on r.id = f.run_id order by r.id) as runs,
      (select jsonb_object_agg(code, total) from (select code, sum(total) as total from freshet.run_error_totals where code <> 'URL_HASH_FALLBACK' group by code) t) as errors,
      array(select name || ':' || scopes::text from freshet.api_keys order by id) as keys,
      array(select name from freshet.sources where is_display_primary order by name) as primaries,
      array(select name from freshet.sources where tos_reviewed_at is not null) as reviewed,
      array(select a.kind || ': ' || r.kind from freshet.alerts a join freshet.runs r on r.error_code = a.kind where a.resolved_at is null) as alerts,
      array(select name || ': ' || state from pgboss.job where data ->> 'task' = 'prune-listings' order by name) as jobs,
      (select output ->> 'code' from pgboss.job where name = 'maintenance' and state = 'failed') as failure,
      (select string_agg(action, ' ' order by id) from freshet.audit_log where action not like 'IMPORT%') as changes`,
  )
  return row
}

test('doctor finds nothing in its folder but the run that waits for a decision, commands use its database, and both stop the server again', async () => {
  const { code, out, err } = await run(['doctor'], { env })
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(out).toMatch(/^fail {2}alerts: 1 open of severity P1:\n +FEED_RUN_BLOCKED \(Meadow Outdoor via Impact\)/m)
  expect(out).toContain('1 failure, ')
  expect(out).toMatch(/^ok {4}credential key: kept in /m)
  expect(out).toMatch(/^ok {4}database: Postgres [\d.]+ \(embedded /m)
  const list = await runJson(['keys', 'list'], { env })
  expect(list.answer.keys.map(({ name }: { name: string }) => name)).toEqual([
    'demo reader',
    'admin (from FRESHET_ADMIN_KEY)',
  ])
  await expect(stat(join(env.FRESHET_DATA_DIR, 'postgres/data/postmaster.pid'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
})

test('takes the next port where its own is taken, lets no second demo into its folder, and runs until it is told to stop', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const stop = new AbortController()
  const { promise: isReady, resolve: ready } = Promise.withResolvers<void>()
  const onOut = (all: string) => {
    if (all.includes('Ctrl-C stops it.')) ready()
  }
  const running = run(['demo'], { env: { ...env, PORT: String(port) }, onOut, signal: stop.signal })
  await Promise.race([isReady, running])
  const second = await runJson(['demo', '--once'], { env })
  expect({ code: second.code, error: second.error?.code }).toEqual({ code: 1, error: 'DEMO_RUNNING' })
  stop.abort('the test')
  const { code, out, err } = await running
  other.close()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  // Without --force there is nothing to watch: its file never changes.
  expect(out).toMatch(/^ {4}FRESHET_DATA_DIR=\S+ npm run freshet -- feeds run \w+={0,2} --force --watch$/m)
  const [, shown] = /GraphiQL {3}http:\/\/127\.0\.0\.1:(\d+)\//.exec(out) ?? []
  expect(Number(shown)).toBeGreaterThan(port)
})

test('refuses a folder that holds something else', async () => {
  await using other = await aFolder()
  await writeFile(join(other.dir, 'credential-key'), 'of somebody')
  const { code, error } = await runJson(['demo', '--once'], { env: { FRESHET_DATA_DIR: other.dir, PORT: '0' } })
  expect({ code, error: error.code }).toEqual({ code: 1, error: 'NOT_A_DEMO' })
  expect(await readFile(join(other.dir, 'credential-key'), 'utf8')).toBe('of somebody')
})
