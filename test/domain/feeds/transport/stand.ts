import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { FeedConnection } from '../../../../src/domain/feeds/transport/connection.ts'
import { fetchFeedFile, type FetchOptions } from '../../../../src/domain/feeds/transport/fetch-feed-file.ts'
import { JobError, PermanentError } from '../../../../src/domain/queue/job-error.ts'
import { createLog, withLogFields } from '../../../../src/log.ts'
import { collectLines } from '../../../support/lines.ts'

/** A folder for downloads, and downloads into it. */
export async function openStand() {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-feed-'))
  const fetch = async (connection: FeedConnection, more: Partial<FetchOptions> = {}) => {
    const { lines, stream } = collectLines()
    const learned: string[] = []
    const options: FetchOptions = {
      dir,
      signal: new AbortController().signal,
      log: createLog({ level: 'debug', destination: stream }),
      allowPrivate: true,
      allowPlainFtp: true,
      maxBytes: 10_000_000,
      reconnectMs: 0,
      onHostKey: (fingerprint) => Promise.resolve(void learned.push(fingerprint)),
      ...more,
    }
    const events = () => lines.map((line) => JSON.parse(line) as { event: string; [field: string]: unknown })
    return withLogFields({}, async () => {
      try {
        const outcome = await fetchFeedFile(connection, options)
        return { outcome, learned, events: events(), text: lines.join('\n') }
      } catch (error) {
        return { error, learned, events: events(), text: lines.join('\n') + inspect(error, { depth: 9 }) }
      }
    })
  }
  return {
    dir,
    fetch,
    /** Downloads, reads what came, and lets go of it. */
    async read(connection: FeedConnection, more?: Partial<FetchOptions>) {
      const result = await fetch(connection, more)
      const { learned } = result
      if (result.error !== undefined) throw result.error
      if (result.outcome?.kind !== 'fetched') throw new Error('the file was not fetched')
      await using file = result.outcome
      const content = await file.handle.readFile()
      expect(file.bytes).toBe(content.length)
      expect(file.sha256.equals(createHash('sha256').update(content).digest())).toBe(true)
      const { bytes, stat } = file
      return { content, bytes, stat, learned, events: result.events, text: result.text }
    },
    /** Downloads, and must fail. */
    async fail(connection: FeedConnection, more?: Partial<FetchOptions>) {
      const result = await fetch(connection, more)
      if (!(result.error instanceof JobError)) throw new Error(`no failure of ours: ${inspect(result)}`)
      const { error } = result
      const kind = error instanceof PermanentError ? 'final' : 'transient'
      return { ...result, code: error.code, kind, message: error.message, hint: error.hint }
    },
    /** Nothing of any download is left: no name, and no open file without one. */
    async expectNothingLeft() {
      expect(await readdir(dir)).toEqual([])
      const open = await readdir('/proc/self/fd').catch(() => [])
      const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
      expect(targets.filter((target) => target.startsWith(dir))).toEqual([])
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

/** So many bytes that no part of them is like another. */
export const someBytes = (length: number): Buffer => randomBytes(length)
