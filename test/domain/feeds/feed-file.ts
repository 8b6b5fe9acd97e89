import { open, type FileHandle } from 'node:fs/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import { openFeedFile, type FeedFile } from '../../../src/domain/feeds/bytes/open-feed-file.ts'

type Options = Partial<Parameters<typeof openFeedFile>[1]>

/** What came of reading a file to its end: its text as far as it could be had, and what it failed with. */
export type Outcome = { file?: FeedFile; text: string; failure?: Error & { code?: string } }

/** Opens bytes as a feed file, for as long as `use` takes. */
export async function withFile<Result>(bytes: Uint8Array, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'feed-file-'))
  try {
    writeFileSync(join(folder, 'feed'), bytes)
    await using file = await open(join(folder, 'feed'))
    return await use(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Reads bytes as a feed file to the end. */
export const readFeed = (bytes: Uint8Array, { signal = new AbortController().signal, ...options }: Options = {}) =>
  withFile(bytes, async (handle): Promise<Outcome> => {
    const outcome: Outcome = { text: '' }
    try {
      outcome.file = await openFeedFile(handle, { signal, ...options })
      for await (const piece of outcome.file.text) outcome.text += piece
    } catch (failure) {
      outcome.failure = failure as Error
    }
    return outcome
  })

/** A zip archive of these files; one whose name ends in a slash is a folder. */
export function zip(files: Record<string, string>, options: { compress?: boolean } = {}): Promise<Buffer> {
  const archive = new yazl.ZipFile()
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('/')) archive.addEmptyDirectory(name)
    else archive.addBuffer(Buffer.from(text), name, options)
  }
  archive.end()
  return buffer(archive.outputStream)
}
