import { readQuery } from '../../../db/query.ts'
import { queryRows } from '../../../db/sql.ts'
import type { Log } from '../../../log.ts'
import type { RunContext } from '../../runs/context.ts'
import type { Chunk } from './chunk.ts'
import { copyRows } from './copy-rows.ts'
import type { FeedRow } from '../row/feed-row.ts'
import { readWrittenRows, type WrittenRow } from './row-log.ts'
import { keyOf, keys, rowOf, rows } from './staging.ts'

const ingest = readQuery('ingest_feed_chunk')
const noteParents = 'insert into pg_temp.feed_parents select unnest($1::text[]) on conflict do nothing'

type Options = {
  number: number
  /** Ask first which rows have anything to write, and send only those: pays where most of the file is known (RULINGS 29). */
  isProbed: boolean
  now: Date
  log: Log
}

/** How many products were met for the first time in this run, how many prices written, and a few of the rows, for the log. */
export type Merged = { products: number; prices: number; told: WrittenRow[] }

/** Writes one chunk of a run, in one transaction. */
export async function mergeChunk(run: RunContext, chunk: Chunk, options: Options): Promise<Merged> {
  const { number, isProbed, now, log } = options
  const all = Array.from(chunk.rows.values())
  return run.transaction(async () => {
    await copyRows(run.sql, keys, all.map(keyOf))
    const wanted = isProbed ? await probe(run, now) : all.keys()
    await copyRows(
      run.sql,
      rows,
      Array.from(wanted, (n) => rowOf(all[n] as FeedRow, n)),
    )
    if (chunk.parents.size > 0) await queryRows(run.sql, noteParents, [[...chunk.parents]])
    if (Object.keys(chunk.totals).length > 0) await run.sampleErrors(chunk)
    const values = [run.runId, run.attempt, number, isProbed, JSON.stringify(chunk.counters), now]
    const [merged] = await queryRows<{ products: number; prices: number }>(run.sql, ingest, values)
    if (!merged) throw new Error('The chunk was not merged.')
    return { ...merged, told: await readWrittenRows(run, log) }
  })
}

async function probe(run: RunContext, now: Date): Promise<number[]> {
  const statement = 'select freshet.probe_feed_chunk($1, $2) as wanted'
  const [answer] = await queryRows<{ wanted: number[] }>(run.sql, statement, [run.runId, now])
  return answer?.wanted ?? []
}
