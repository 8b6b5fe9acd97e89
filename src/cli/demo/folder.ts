import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CommandError } from '../error.ts'
import { explainFiles } from '../../db/embedded/error.ts'
import { makeKey } from '../../domain/access/key.ts'
import { makeFolder } from '../../make-folder.ts'

export type DemoFolder = { dir: string; adminKey: string; adminKeyFile: string; readKeyFile: string }

/** Opens the demo's folder, which keeps its keys so that the next start can show them again. */
export async function openDemoFolder(dataDir: string): Promise<DemoFolder> {
  const dir = resolve(dataDir)
  const adminKeyFile = join(dir, 'demo-admin-key')
  await makeFolder(dir).catch((error: unknown) => {
    throw explainFiles(error, dir)
  })
  const kept = await readKey(adminKeyFile)
  // The key is the mark of a demo: a folder with other things in it is somebody's installation.
  if (kept === undefined && (await readdir(dir)).length > 0) {
    throw new CommandError('NOT_A_DEMO', `${dir} holds data that is not a demo's. Nothing was changed.`, {
      hint: 'Point FRESHET_DATA_DIR at an empty folder, or unset it: the demo then uses .freshet-demo.',
    })
  }
  const adminKey = kept ?? makeKey()
  if (kept === undefined) await keepKey(adminKeyFile, adminKey)
  return { dir, adminKey, adminKeyFile, readKeyFile: join(dir, 'demo-read-key') }
}

/** A key from its file, if it is there. */
export async function readKey(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )
}

/** Writes a key where only its owner can read it. */
export async function keepKey(file: string, key: string): Promise<void> {
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  await chmod(file, 0o600) // the mode above counts for a new file only
}
