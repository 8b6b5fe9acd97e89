import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ratio } from '../load.ts'
import type { FeedFiles } from './feed-file.ts'
import { hour, openStand } from './stand.ts'

/** The most memory that a process has taken at its end, by the rows of the file that it took in: each size in a child of its own. */
export async function measureMemory(url: string, files: FeedFiles, rows: number) {
  const peaks: number[] = []
  for (const count of [rows / 10, rows, rows * 4]) {
    const path = await files.path(count, 'first')
    const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, url, path])
    peaks.push(Number(stdout))
    console.log(`memory: ${stdout.trim()} MB at most for ${count} rows`)
  }
  const [, usual = 0, large = 0] = peaks
  return { memoryGrowth: ratio(large, usual), memoryMb: peaks }
}

if (process.argv[1] === import.meta.filename) {
  const [, , url = '', path = ''] = process.argv
  await using stand = await openStand(url)
  await stand.run(await stand.makeFeed(), await open(path), hour(0), { isShown: false })
  console.log(Math.round(process.resourceUsage().maxRSS / 1024))
}
