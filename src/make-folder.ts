import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder, with those on the way to it; answers whether it was not there before. Node's own way (`recursive`) never ends
 * where nothing can be made in a folder that is there, as in /proc: it takes the answer for a parent that is missing.
 */
export async function makeFolder(folder: string, mode?: number): Promise<boolean> {
  const path = resolve(folder)
  try {
    return await makeOne(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    return makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    const found = await stat(path).catch(() => undefined)
    if (!found?.isDirectory()) throw error
    return false
  }
}
