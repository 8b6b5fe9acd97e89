import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { makeKeyRing } from '../../src/domain/feeds/credentials/key-ring.ts'
import { decryptSecret, encryptSecret, secretContext } from '../../src/domain/feeds/credentials/secret.ts'
import { cloneDatabase } from '../support/database.ts'
import { aFeed } from '../support/offers.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { run, runJson, start } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const [oldKey, newKey, lostKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const [before, after, lost] = [makeKeyRing(oldKey), makeKeyRing(newKey), makeKeyRing(lostKey)]
const env = {
  DATABASE_URL: database.url,
  CREDENTIAL_ENCRYPTION_KEY_B64: newKey.toString('base64'),
  CREDENTIAL_ENCRYPTION_OLD_KEY_B64: oldKey.toString('base64'),
}
const command = ['keys', 'rotate-credentials']

type Row = { secret_ciphertext: Buffer; secret_key_id: string; secret_version: number }
const rowOf = async (id: string) => (await pool.query<Row>('select * from freshet.feeds where id = $1', [id])).rows[0]!
const keyIdOf = async (id: string) => (await rowOf(id)).secret_key_id
const auditOf = async (id: string) =>
  (
    await pool.query(
      "select action, actor, changes from freshet.audit_log where object_type = 'Feed' and object_id = $1",
      [id],
    )
  ).rows

/** A feed whose password is encrypted with a key. */
async function aSealedFeed(ring: typeof before, password: string): Promise<string> {
  const source = await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED', name: `feed of ${password}` })
  const id = await aFeed(pool, source, { secret_version: 3 })
  const { secretCiphertext, secretKeyId } = encryptSecret(ring, { password }, secretContext(id, 3))
  await pool.query('update freshet.feeds set secret_ciphertext = $2, secret_key_id = $3 where id = $1', [
    id,
    secretCiphertext,
    secretKeyId,
  ])
  return id
}

/** The password of a feed, as a worker with this key alone reads it. */
async function passwordOf(id: string, ring = after): Promise<string | undefined> {
  const row = await rowOf(id)
  const stored = { secretCiphertext: row.secret_ciphertext, secretKeyId: row.secret_key_id }
  return decryptSecret(ring, stored, secretContext(id, row.secret_version)).password
}

/** No feed of an earlier test is left with a credential. */
const forgetAll = () => pool.query('update freshet.feeds set secret_ciphertext = null, secret_key_id = null')

test('issue 5 §5: what the older key holds is encrypted with the new one; a second time there is nothing to do', async () => {
  await forgetAll()
  const feeds = [await aSealedFeed(before, 'canary-one'), await aSealedFeed(before, 'canary-two')]
  const current = await aSealedFeed(after, 'canary-three')
  const untouched = await rowOf(current)

  const tried = await run([...command, '--dry-run'], { env })
  const counts = `Key ${after.current.id}: 2 rotated, 1 were current, 0 could not be opened.`
  expect(tried).toEqual({ code: 0, out: `${counts} This was a dry run: nothing was written.\n`, err: '' })
  expect(await Promise.all(feeds.map(keyIdOf))).toEqual([before.current.id, before.current.id])

  const done = await run(command, { env })
  expect(done).toEqual({ code: 0, out: `${counts}\n`, err: '' })
  expect(await Promise.all(feeds.map(keyIdOf))).toEqual([after.current.id, after.current.id])
  expect([await passwordOf(feeds[0]!), await passwordOf(feeds[1]!)]).toEqual(['canary-one', 'canary-two'])
  expect(await rowOf(current)).toEqual(untouched)

  const record = {
    action: 'CREDENTIAL_ROTATED',
    actor: `cli (${userInfo().username})`,
    changes: { secretKeyId: { from: before.current.id, to: after.current.id } },
  }
  for (const feed of feeds) expect(await auditOf(feed)).toEqual([record])
  expect(await auditOf(current)).toEqual([])

  const again = await runJson(command, { env })
  const answer = { keyId: after.current.id, rotated: 0, current: 3, unreadable: [], dryRun: false }
  expect(again).toEqual({ code: 0, answer, error: undefined })
  for (const feed of feeds) expect(await auditOf(feed)).toHaveLength(1)
})

test('issue 5 §5: a credential that fits neither key is named and stays as it is; the others are rotated', async () => {
  await forgetAll()
  const stranger = await aSealedFeed(lost, 'canary-lost')
  const good = await aSealedFeed(before, 'canary-good')
  const untouched = await rowOf(stranger)
  const { code, out, err } = await run(command, { env })
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(out).toContain('1 rotated, 0 were current, 1 could not be opened.\n')
  expect(out).toContain(`  feed ${stranger} (feed of canary-lost): The stored credential cannot be read: `)
  expect(out).toContain(`encrypted with the key ${lost.current.id}`)
  expect(await rowOf(stranger)).toEqual(untouched)
  expect(await auditOf(stranger)).toEqual([])
  expect(await passwordOf(good)).toBe('canary-good')
  const { answer } = await runJson(command, { env })
  expect(answer).toMatchObject({ rotated: 0, current: 1, unreadable: [{ feedId: stranger }] })
})

test.each(['older', 'current'])(
  'S2 §10.2: what was copied from a feed of the %s key into another is not rotated',
  async (of) => {
    await forgetAll()
    const [from, to] = [
      await aSealedFeed(of === 'older' ? before : after, 'canary-a'),
      await aSealedFeed(before, 'canary-b'),
    ]
    await pool.query(
      `update freshet.feeds as t set secret_ciphertext = f.secret_ciphertext, secret_key_id = f.secret_key_id
     from freshet.feeds as f where t.id = $1 and f.id = $2`,
      [to, from],
    )
    const copied = await rowOf(to)
    const { code, answer } = await runJson(command, { env })
    expect(code).toBe(1)
    expect(answer.unreadable).toEqual([
      { feedId: to, name: 'feed of canary-b', message: expect.stringContaining('belongs to another feed') },
    ])
    expect(await rowOf(to)).toEqual(copied)
    await expect(passwordOf(to, makeKeyRing(newKey, oldKey))).rejects.toThrow('belongs to another feed')
  },
)

test('issue 5 §5: a rotation that is killed midway leaves each feed under one key or the other, and is taken up by the next', async () => {
  await forgetAll()
  const feeds: string[] = []
  for (const name of ['canary-1', 'canary-2', 'canary-3']) feeds.push(await aSealedFeed(before, name))
  const holder = await pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from freshet.feeds where id = $1 for update', [feeds[1]])
    await using program = start(command, env)
    await until(
      'the second feed is waited for',
      async () => {
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        return (await pool.query(waiting)).rowCount === 1
      },
      30_000,
    )
    program.kill()
    await program.ended
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(await Promise.all(feeds.map(keyIdOf))).toEqual([after.current.id, before.current.id, before.current.id])
  const { code, answer } = await runJson(command, { env })
  expect({ code, answer }).toEqual({ code: 0, answer: expect.objectContaining({ rotated: 2, current: 1 }) })
  expect(await Promise.all(feeds.map((feed) => passwordOf(feed)))).toEqual(['canary-1', 'canary-2', 'canary-3'])
  for (const feed of feeds) expect(await auditOf(feed)).toHaveLength(1)
})

test('a credential that is typed anew while the rotation waits for its row is the one that stays', async () => {
  await forgetAll()
  const feed = await aSealedFeed(before, 'canary-before')
  const holder = await pool.connect()
  await holder.query('begin')
  const { secretCiphertext, secretKeyId } = encryptSecret(before, { password: 'canary-typed' }, secretContext(feed, 4))
  const write = 'update freshet.feeds set secret_ciphertext = $2, secret_key_id = $3, secret_version = 4 where id = $1'
  await holder.query(write, [feed, secretCiphertext, secretKeyId])
  const rotating = run(command, { env })
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await until('the row is waited for', async () => (await pool.query(waiting)).rowCount === 1)
  await holder.query('commit')
  holder.release()
  expect((await rotating).code).toBe(0)
  expect([await passwordOf(feed), (await rowOf(feed)).secret_version]).toEqual(['canary-typed', 4])
})

test('a database of one’s own needs a key that was named: none is made for it', async () => {
  const { code, error } = await runJson(command, { env: { DATABASE_URL: database.url } })
  expect([code, error.code]).toEqual([2, 'BAD_CONFIGURATION'])
  expect(error.message).toContain('CREDENTIAL_ENCRYPTION_KEY_B64')
})
