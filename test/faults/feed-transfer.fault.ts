import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { openAttempts } from '../support/feed-base.ts'
import { openTransfers, transient } from '../support/feed-transfer.ts'
import { startFtpServer } from '../support/ftp-server.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { report } from './seed.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const [sftp, ftp] = [await startSftpServer(), await startFtpServer()]
for (const server of [sftp, ftp]) afterAll(() => server[Symbol.asyncDispose]())
const attempts = await openAttempts(database, { chunkSize: 100 })
afterAll(() => attempts[Symbol.asyncDispose]())
const pack = (text: string) => gzipSync(text)
const [overSftp, overFtp] = [sftp, ftp].map((server) => openTransfers({ database, attempts, server }, pack))
const tenths = Array.from({ length: 10 }, (_, tenth) => tenth)
const counts: Record<string, number> = {}
afterAll(() => report('R12', { transientAndEqual: counts }))

// Cut again and again at the same place: what only happens once is mended by going on where it ended.
const times = 99
type Case = [what: string, code: string, spoil: (good: Buffer, tenth: number) => void]
const cases: Case[] = [
  [
    'SFTP breaks',
    'TRANSFER_INTERRUPTED',
    // In pieces: else one answer has all of so small a file.
    ({ length }, tenth) =>
      void Object.assign(sftp.faults, {
        cutAfter: { bytes: (length * tenth) / 10, times },
        mostAtOnce: Math.ceil(length / 20),
      }),
  ],
  [
    'SFTP says EOF',
    'TRANSFER_INCOMPLETE',
    ({ length }, tenth) => void (sftp.faults.endAt = Math.floor((length * tenth) / 10)),
  ],
  [
    'FTP says 426',
    'TRANSFER_INTERRUPTED',
    ({ length }, tenth) =>
      void (ftp.faults.cutAfter = {
        bytes: Math.floor((length * tenth) / 10),
        say: '426 Connection closed; transfer aborted.',
        times,
      }),
  ],
  [
    'the file was cut before it was sent',
    'FILE_TRUNCATED',
    (good, tenth) => sftp.serve(good.subarray(0, 30 + (good.length * tenth) / 10.5)),
  ],
]

test.each(cases.flatMap(([what, ...rest]) => tenths.map((tenth) => [what, tenth, rest] as const)))(
  'R12: %s at %s tenths: never shown, transient, and the next attempt leaves what it should',
  async (what, tenth, [code, spoil]) => {
    const transfer = what.startsWith('FTP') ? overFtp! : overSftp!
    const end = await transfer((good) => spoil(good, tenth))
    expect(end).toEqual(transient(code))
    counts[what] = (counts[what] ?? 0) + 1
  },
)
