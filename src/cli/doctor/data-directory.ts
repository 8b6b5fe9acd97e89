import { constants } from 'node:fs'
import { access, readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const mb = 1_000_000
const tooLittleBytes = 100 * mb
const littleBytes = 1_000 * mb

/** What an embedded Postgres needs of its folder: to be written to, with room, and with the key that opens credentials. */
export async function checkDataDirectory({ dataDir, access: { credentialKey } }: Config): Promise<Finding[]> {
  const dir = resolve(dataDir)
  const existing = await nearestExisting(dir)
  const isNew = existing !== dir
  const mayWrite = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  const folder = mayWrite
    ? ok('data directory', isNew ? `${dir} will be made` : `${dir} is writable`)
    : fail(
        'data directory',
        `${existing} is not writable`,
        `Give the user that runs Freshet the right to it, or set FRESHET_DATA_DIR.`,
      )
  const { bavail, bsize } = await statfs(existing)
  return [
    folder,
    judgeSpace(bavail * bsize),
    credentialKey ? ok(keyCheck, 'given by the environment') : await checkKeyFile(dir, isNew),
  ]
}

/** Postgres stops when its disk is full, so little room is told before. */
export function judgeSpace(freeBytes: number): Finding {
  const shown =
    freeBytes < 10_000 * mb ? `${Math.floor(freeBytes / mb)} MB free` : `${Math.floor(freeBytes / mb / 1000)} GB free`
  const advice = 'Free space on that disk, or move FRESHET_DATA_DIR.'
  if (freeBytes < tooLittleBytes) return fail('disk', shown, advice)
  return freeBytes < littleBytes ? warn('disk', shown, advice) : ok('disk', shown)
}

const keyCheck = 'credential key'

async function checkKeyFile(dir: string, isNew: boolean): Promise<Finding> {
  const file = join(dir, 'credential-key')
  if (isNew) return ok(keyCheck, 'made at the first start')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (typeof text !== 'string') {
    if (text.code !== 'ENOENT')
      return fail(keyCheck, `${file} cannot be read (${text.code})`, 'Give the user that runs Freshet the right to it.')
    const advice = `Put ${file} back from a backup if there was one: the next start makes a new key, which cannot open what the old one closed.`
    return warn(keyCheck, `${file} is not there`, advice)
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32 || key.toString('base64') !== text.trim()) {
    return fail(
      keyCheck,
      `${file} does not hold 32 bytes in base64`,
      'Put it back from a backup: stored credentials cannot be read without it.',
    )
  }
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) return warn(keyCheck, `${file} can be read by other users`, `Run: chmod 600 ${file}`)
  return ok(keyCheck, `kept in ${file}`)
}

async function nearestExisting(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? path : nearestExisting(dirname(path))
}
