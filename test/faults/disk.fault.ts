import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import pg from 'pg'
import { createLog } from '../../src/log.ts'
import { collectLines } from '../support/lines.ts'
import { until } from '../support/until.ts'
import { report } from './seed.ts'
import { readTrials, trial } from './trial-run.ts'

/** A folder on a small disk of its own, or why there is none. */
async function smallDisk(): Promise<AsyncDisposable & ({ dir: string } | { dir?: undefined; reason: string })> {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', dir], { stdio: 'pipe' })
  } catch (error) {
    await rm(dir, { recursive: true })
    return { reason: String(error).split('\n')[0] ?? '', [Symbol.asyncDispose]: async () => {} }
  }
  await chmod(dir, 0o755)
  return {
    dir,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [dir])
      await rm(dir, { recursive: true })
    },
  }
}

/** Takes all the room that is left. */
async function fill(dir: string) {
  const file = await open(join(dir, 'ballast'), 'w')
  const block = Buffer.alloc(64 * 1024)
  const isFull = async () => {
    const { bytesWritten } = await file.write(block).catch(() => ({ bytesWritten: 0 }))
    return bytesWritten < block.length
  }
  while (!(await isFull()));
  await file.close()
}

test('R15: a full disk gives clear errors; once there is room, jobs are worked again within 10 s', async () => {
  await using disk = await smallDisk()
  if (disk.dir === undefined) {
    report('R15', { leftOut: `no disk of its own can be mounted here: ${disk.reason}` })
    return
  }
  const { lines, stream } = collectLines()
  const { config } = readConfig({ PORT: '0', FRESHET_DATA_DIR: disk.dir, FRESHET_PG_CRON: 'false' })
  await using database = await openDatabase(config)
  await using app = await startApp({
    config,
    database,
    log: createLog({ level: 'info', destination: stream }),
    jobs: [trial],
  })
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => {})
  await using _pool = { [Symbol.asyncDispose]: () => pool.end() }
  const enqueue = (number: number) =>
    pool.query("select freshet.enqueue('trial', jsonb_build_object('number', $1::int))", [number])
  const isDone = async (number: number) => {
    const { rowCount } = await pool.query(
      "select from pgboss.job where name = 'trial' and state = 'completed' and data ->> 'number' = $1",
      [String(number)],
    )
    return rowCount === 1
  }
  const create = async (index: number) => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${app.firstKey}` },
      body: JSON.stringify({ query: `mutation { createRetailer(input: { name: "Shop ${index}" }) { id } }` }),
    })
    const { errors } = (await answer.json()) as { errors?: { extensions: { code: string } }[] }
    return errors?.[0]?.extensions.code
  }
  await enqueue(1)
  await until('a job is worked', () => isDone(1))

  await enqueue(2) // at work when the disk fills
  await fill(disk.dir)
  const codes = new Set<string>()
  let created = 0
  await until(
    'the disk is full for Postgres too',
    async () => {
      const code = await create(created)
      if (code) codes.add(code)
      else created++
      return codes.size > 0
    },
    120_000,
  )
  for (let index = 0; index < 20; index++) codes.add((await create(1_000 + index)) ?? 'none')
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  await rm(join(disk.dir, 'ballast'))

  const freedAt = performance.now()
  await until(
    'a job can be enqueued',
    () =>
      enqueue(3).then(
        () => true,
        () => false,
      ),
    60_000,
  )
  await until('it is worked', () => isDone(3).catch(() => false), 60_000)
  const recoverySeconds = Math.round((performance.now() - freedAt) / 100) / 10
  await until('the job that was at work is done', () => isDone(2).catch(() => false), 120_000)
  const { rows } = await pool.query<{ is_equal: boolean }>(readTrials)
  codes.delete('none')
  report('R15', {
    codes: [...codes],
    recoverySeconds,
    runs: rows.length,
    unequal: rows.filter((row) => !row.is_equal).length,
  })
  expect([...codes].filter((code) => code !== 'SERVICE_UNAVAILABLE')).toEqual([])
  expect(recoverySeconds).toBeLessThan(10)
  expect(rows.map((row) => row.is_equal)).toEqual([true, true, true])
  expect(lines.filter((line) => line.includes('"level":"fatal"'))).toEqual([])
})
