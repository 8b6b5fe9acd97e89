import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const form = /^feed-(\d+)-(\d+)-[0-9a-f]+\.part$/

/** The name of a temporary file: whose it is, and when that process began, for the number of a dead one is given again. */
export const fileNameOf = async (pid: number, unique: string): Promise<string> =>
  `feed-${pid}-${(await startOf(pid)) ?? 0}-${unique}.part`

/**
 * Removes temporary files of processes that are dead, and answers how many. There are some only where a file cannot lose its
 * name while it is open, or where a process died in the moment between the two.
 */
export async function sweepFiles(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => [])
  const swept = await Promise.all(names.map(async (name) => (await isLeft(name)) && remove(join(dir, name))))
  return swept.filter(Boolean).length
}

async function isLeft(name: string): Promise<boolean> {
  const [, pid, start] = form.exec(name) ?? []
  if (pid === undefined || !isAlive(Number(pid))) return pid !== undefined
  const begun = await startOf(Number(pid))
  return start !== '0' && begun !== undefined && begun !== start
}

const remove = (path: string) =>
  rm(path).then(
    () => true,
    () => false, // somebody else was faster
  )

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH' // it lives, and is another user's
  }
}

/** When a process began, in ticks since the machine did; only Linux tells. Its name may hold spaces and brackets. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
