import { openBenchDatabase } from './database.ts'
import { comparePhases } from './feeds/compare.ts'
import { openFeedFiles } from './feeds/feed-file.ts'
import { measureMemory } from './feeds/memory.ts'
import { measureOthers } from './feeds/others.ts'

/** Rows of the file that is measured; the other sizes follow from it. A small one tells in a minute whether all of it works. */
const rows = Number(process.env.FRESHET_BENCH_ROWS ?? 500_000)

/** Taking in a feed's file: against what no way of doing it can spare, against S2's design as written, and as it grows. */
export async function run(): Promise<object> {
  await using files = await openFeedFiles()
  const parts = [comparePhases, measureMemory, measureOthers]
  const results: object[] = []
  for (const part of parts) {
    await using database = await openBenchDatabase()
    results.push(await part(database.directUrl, files, rows))
  }
  return Object.assign({ rows }, ...results) as object
}
