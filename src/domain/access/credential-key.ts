import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../make-folder.ts'

const fileName = 'credential-key'

/**
 * The key that credentials are encrypted with. With an embedded database it is made at the first start and kept beside
 * it; whoever loses the race to make it uses the winner's.
 */
export async function keepCredentialKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, fileName)
  if (existsSync(file)) return readCredentialKey(file)
  await makeFolder(dataDir)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  // On disk before it has its name: a power cut must not leave an empty key behind.
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, file) // fails if another process was first, so a key that is in use is never replaced
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return readCredentialKey(file)
}

async function readCredentialKey(file: string): Promise<Buffer> {
  const text = (await readFile(file, 'utf8')).trim()
  const key = Buffer.from(text, 'base64')
  if (key.length === 32 && key.toString('base64') === text) return key
  throw new Error(
    `${file} does not hold a key of 32 bytes in base64. Restore it from a backup: without it stored credentials cannot be read.`,
  )
}
