import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPostmaster } from '../../src/db/embedded/postmaster.ts'
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { aFolder, credentialKey, start } from './stand.ts'

const settings = ({ url }: TestDatabase) => ({
  DATABASE_URL: url,
  CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey,
  PORT: '0',
  FRESHET_PG_CRON: 'false',
})

/** Tells the program to stop as soon as it said something, and how many seconds it took to end. */
async function stopAt(text: string, env: Record<string, string>, isThere?: () => Promise<boolean>) {
  await using program = start(['start', '--json'], { LOG_LEVEL: 'info', ...env })
  if (isThere) await until('it has come that far', isThere)
  else await program.said(text, 60_000)
  const since = performance.now()
  const { code, out, err } = await program.terminate()
  expect({ code, err, ready: out.includes('"ready"') }).toEqual({ code: 0, err: '', ready: false })
  expect(out).toContain('"msg":"stopping"')
  expect((performance.now() - since) / 1000).toBeLessThan(10)
  return out
}

test('told to stop while it makes the database, it ends soon and leaves nothing half made', async () => {
  await using folder = await aFolder()
  await stopAt('making the database', { FRESHET_DATA_DIR: folder.dir, PORT: '0' })
  const left = await readdir(folder.dir)
  expect(left.filter((name) => name.startsWith('postgres'))).toEqual([])
})

test('told to stop while Postgres starts, it ends soon and Postgres with it', { timeout: 60_000 }, async () => {
  await using folder = await aFolder()
  await stopAt('starting Postgres', { FRESHET_DATA_DIR: folder.dir, PORT: '0' })
  expect(await findPostmaster(join(folder.dir, 'postgres', 'data'))).toBeUndefined()
})

test('told to stop while another process migrates, it ends at once', async () => {
  await using database = await createEmptyDatabase()
  const other = await database.pool.connect()
  await other.query('select pg_advisory_lock(4610, 0)')
  const out = await stopAt('waiting: another process migrates', settings(database))
  expect(out).toMatch(/"msg":"bringing the database up to date: the queue, \d+ migrations, \d+ SQL files"/)
  other.release(true)
})

test('told to stop while a step of its start waits for a lock, it ends soon and holds neither clock nor port', async () => {
  await using database = await cloneDatabase()
  const other = await database.pool.connect()
  await other.query('begin; lock table freshet.api_keys in access exclusive mode')
  const waits = async () => {
    const sql = "select from pg_locks where not granted and relation = 'freshet.api_keys'::regclass"
    return (await database.pool.query(sql)).rowCount === 1
  }
  await stopAt('', settings(database), waits)
  await other.query('rollback')
  other.release()
})
