import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../../src/domain/feeds/credentials/key-ring.ts'
import { connectionOf, readFeedForRun } from '../../../src/domain/feeds/feed-for-run.ts'
import { openUnsavedFeed, sealFeed } from '../../../src/domain/feeds/unsaved-feed.ts'
import { cloneDatabase } from '../../support/database.ts'
import { aRetailer, aSource, insertRow } from '../../support/rows.ts'

const keys = makeKeyRing(randomBytes(32))
const place = { host: 'feeds.example', path: '/catalog.csv', username: 'shop' }
const input = { transport: 'SFTP' as const, ...place }

test('RULINGS 24: what a test of unsaved settings leaves out is as the table would have made it', async () => {
  await using database = await cloneDatabase()
  const { pool } = database
  const sourceId = await aSource(pool, await aRetailer(pool), { kind: 'AFFILIATE_FEED' })
  const id = await insertRow(pool, 'feeds', { source_id: sourceId, ...place })
  // What else a run reads says of which feed it is.
  const {
    id: _id,
    sourceId: _source,
    sourceName: _name,
    reading: _reading,
    isForced: _forced,
    ...settings
  } = await readFeedForRun(pool, id)
  expect(openUnsavedFeed(sealFeed(keys, input))).toMatchObject(settings)
})

test('S2 §10.4: unsaved settings carry their credential encrypted, and it opens for this test alone', () => {
  const typed = { ...input, password: 'canary-password', passphrase: ' ' }
  const sealed = sealFeed(keys, typed)
  expect(JSON.stringify(sealed)).not.toContain('canary')
  expect(connectionOf(openUnsavedFeed(sealed), keys).secret).toEqual({ password: 'canary-password' })
  const other = { ...sealed, id: sealFeed(keys, typed).id }
  expect(() => connectionOf(openUnsavedFeed(other), keys)).toThrow('belongs to another feed')
})

test('unsaved settings reach the worker as they were given', () => {
  const given = {
    ...input,
    transport: 'FTPS' as const,
    tlsMode: 'IMPLICIT' as const,
    port: 9_990,
    dialect: 'IMPACT' as const,
    delimiter: 'PIPE' as const,
    quoting: 'NONE' as const,
    columnMap: { brand: ['Maker', 'Label'] },
    defaultCurrency: 'EUR',
    decimalMark: 'COMMA' as const,
    maxFileSizeBytes: 10_000_000_000,
    maxRowCount: 7,
    maxProductCount: 5,
  }
  const sent: unknown = JSON.parse(JSON.stringify(sealFeed(keys, given)))
  expect(sent).toMatchObject(given)
})
