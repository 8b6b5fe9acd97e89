import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { aFeedOf, remainsOf, type Feed } from '../support/feed-base.ts'
import { badRows, bombs, goodFile, oddLetters, usualFile } from '../support/feed-bombs.ts'
import { startFeedWorker } from '../support/feed-worker.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { report } from './seed.ts'

// S3 and S5: each file is given to a worker of its own, whose peak of memory is read from the system: what one file leaves
// behind would otherwise be counted for the next.
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const server = await startSftpServer()
afterAll(() => server[Symbol.asyncDispose]())
const dir = await mkdtemp(join(tmpdir(), 'freshet-bombs-'))
afterAll(() => rm(dir, { recursive: true }))
const { pool } = database
await pool.query('delete from freshet.schedules')

let day = 0
type Run = { status: string; code: string | null; products: number; codes: string[] }

/** Runs the file of a feed to the end of its first attempt. */
async function run(feed: Feed, file: Buffer): Promise<Run> {
  server.serve(file, new Date(Date.UTC(2026, 0, ++day)))
  const before = (await pool.query<{ id: string }>('select max(id) as id from freshet.runs')).rows[0]!.id
  await pool.query('select freshet.request_feed_run($1, true, now())', [feed.id])
  const ended = `select r.status, r.error_code as code, (r.counters ->> 'productsUpserted')::int as products,
      array(select code from freshet.run_error_totals t where t.run_id = r.id order by 1) as codes
    from freshet.runs r where r.id > coalesce($1, 0) and r.source_id = $2 and r.status <> 'RUNNING'`
  for (;;) {
    const [found] = (await pool.query<Run>(ended, [before, feed.sourceId])).rows
    if (found) return found
    await pause(50)
  }
}

/** In MB: the most memory that a process had since it was last asked to forget. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

const usual = usualFile()

/** What a file does to a worker that has read a usual one, beside how its run ends: by how much its peak passes the usual. */
async function suffer(what: string, bytes: Buffer) {
  await using worker = startFeedWorker()
  worker.begin({ databaseUrl: database.url, dir })
  expect(await run(await aFeedOf(database, server), usual)).toMatchObject({ status: 'SUCCEEDED' })
  const usualMb = await peakOf(worker.pid)
  const feed = await aFeedOf(database, server, { max_file_size_bytes: 2 ** 31 })
  await writeFile(`/proc/${worker.pid}/clear_refs`, '5') // its peak is counted anew
  const begun = performance.now()
  const end = await run(feed, bytes)
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  const moreMb = Math.round((await peakOf(worker.pid)) - usualMb)
  const packedMb = Math.round(bytes.length / 1e5) / 10
  report('S3, S5', { what, ...end, moreMb, usualMb: Math.round(usualMb), packedMb, seconds })
  expect(moreMb).toBeLessThanOrEqual(64)
  expect(await run(feed, goodFile(1_000)), 'the worker goes on').toMatchObject({ status: 'SUCCEEDED', products: 200 })
  return end
}

test.each(Object.entries(bombs))('S3: %s is stopped at the limit, and the worker goes on', async (what, bomb) => {
  expect(await suffer(what, await bomb.file())).toMatchObject({ status: 'FAILED', code: bomb.code })
})

test.each(Object.entries(badRows))('S5: %s costs its own row alone', async (what, { file, code }) => {
  expect(await suffer(what, await file())).toEqual({ status: 'SUCCEEDED', code: null, products: 200, codes: [code] })
})

test.each(Object.entries(oddLetters))('S5: %s is read', async (what, { file, products }) => {
  expect(await suffer(what, file())).toEqual({ status: 'SUCCEEDED', code: null, products, codes: [] })
})

test('S3, S5: after all that nothing is left of it', async () => {
  expect(await readdir(join(dir, 'feeds'))).toEqual([])
  expect(await remainsOf(database)).toEqual([])
})
