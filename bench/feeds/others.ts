import { readFile } from 'node:fs/promises'
import { inTransaction } from '../../src/db/transaction.ts'
import { median, ratio } from '../load.ts'
import type { Edition, FeedFiles } from './feed-file.ts'
import { hour, openStand, type Stand } from './stand.ts'

const rounds = 3
const runs: [Edition, number][] = [
  ['first', 0],
  ['same', 1],
  ['changed', 2],
]

/** Three runs of a small feed, alone and beside a large catalogue of another source. */
export async function measureOthers(url: string, files: FeedFiles, rows: number) {
  await using stand = await openStand(url)
  const own = rows / 5
  await threeRuns(stand, files, own)
  const alone = await measure(stand, files, own)
  await fill(stand, rows * 10)
  const beside = await measure(stand, files, own)
  console.log(`${own} rows: ${alone} ms alone, ${beside} ms beside ${rows * 10} other products (first, same, changed)`)
  return { othersSlowdown: ratio(beside, alone) }
}

async function measure(stand: Stand, files: FeedFiles, rows: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await threeRuns(stand, files, rows))
  return Math.round(median(times))
}

async function threeRuns(stand: Stand, files: FeedFiles, rows: number): Promise<number> {
  const feed = await stand.makeFeed()
  let ms = 0
  for (const [edition, hours] of runs) {
    const run = await stand.run(feed, await files.open(rows, edition), hour(hours))
    ms += run.ingestMs + run.promoteMs
  }
  return ms
}

/** A catalogue as promoted runs leave it, written straight into the tables. */
async function fill({ pool, makeFeed }: Stand, count: number): Promise<void> {
  const { sourceId } = await makeFeed()
  const text = await readFile(new URL('others.sql', import.meta.url), 'utf8')
  await inTransaction(pool, async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`) // nothing to check: all of it is made here
    await tx.query(`set local bench.source_id = ${sourceId}; set local bench.count = ${count}`)
    await tx.query(text)
  })
  // What the cleaning of so many new rows costs is no part of what is measured.
  for (const table of ['offers', 'offer_presence', 'offer_versions', 'prices', 'current_offers'])
    await pool.query(`vacuum (analyze) freshet.${table}`)
}
