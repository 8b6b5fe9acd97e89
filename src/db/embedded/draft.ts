import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ignore } from './error.ts'
import { isRunning } from './run.ts'

const pulseMs = 1_000
const silenceMs = 10_000

/**
 * Fills a draft folder beside the target and renames it in place, so the target is there whole or not at all. Of many
 * makers one wins; the others' drafts vanish, as does the draft of one that fails or that `fill` gives up (false).
 */
export async function makeWhole(target: string, fill: (draft: string) => Promise<boolean>): Promise<void> {
  const draft = `${target}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`
  await mkdir(draft, { mode: 0o700 })
  const pulse = setInterval(() => utimes(draft, new Date(), new Date()).catch(() => {}), pulseMs)
  try {
    if (await fill(draft)) await rename(draft, target).catch(ignore('ENOTEMPTY', 'EEXIST'))
  } finally {
    clearInterval(pulse)
    await rm(draft, { recursive: true, force: true })
  }
}

/** The drafts of a target that somebody is still at work on; those of dead makers are removed. */
export async function findDrafts(target: string): Promise<string[]> {
  const folder = dirname(target)
  const drafts: string[] = []
  for (const name of (await readdir(folder)).toSorted()) {
    const pid = draftMaker(name, basename(target))
    if (pid === undefined) continue
    const draft = join(folder, name)
    if (await isAlive(draft, pid)) drafts.push(draft)
    // Its last files may still be on their way in: the next start gets what is left.
    else await rm(draft, { recursive: true, force: true }).catch(() => {})
  }
  return drafts
}

function draftMaker(name: string, target: string): number | undefined {
  const rest = name.startsWith(`${target}.`) ? name.slice(target.length + 1) : ''
  const pid = /^(\d+)-[0-9a-f]+\.tmp$/.exec(rest)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** A maker is alive while its process is and the draft has been touched lately: a pid may belong to another by now. */
async function isAlive(draft: string, pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false
  const found = await stat(draft).catch(ignore('ENOENT'))
  return found !== undefined && Date.now() - found.mtimeMs < silenceMs
}
