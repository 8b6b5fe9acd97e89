import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPrivateFile } from '../../../../src/domain/feeds/transport/private-file.ts'
import { fileNameOf, sweepFiles } from '../../../../src/domain/feeds/transport/sweep-files.ts'
import { startSftpServer } from '../../../support/sftp-server.ts'
import { openStand, someBytes } from './stand.ts'

let dir: string
beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'freshet-private-'))
})
afterEach(() => fs.rm(dir, { recursive: true }))

test('RULINGS 23: the file has no name as soon as it is open, and only its owner could read it', async () => {
  const place = join(dir, 'downloads')
  const before = process.umask(0)
  await using file = await openPrivateFile(place).finally(() => process.umask(before))
  expect(await fs.readdir(place)).toEqual([])
  expect((await file.handle.stat()).mode & 0o777).toBe(0o600)
  expect((await fs.stat(place)).mode & 0o777).toBe(0o700)
})

test('what was written is read from its first byte on, and starting again forgets it all', async () => {
  await using file = await openPrivateFile(dir)
  await file.write(Buffer.from('not this'))
  await file.restart()
  await file.write(Buffer.from('but '))
  await file.write(Buffer.from('that'))
  expect([file.bytes, file.sha256().toString('hex')]).toEqual([
    8,
    '80f6d52614506a3680438542dd56cc51dd8c18d39a3b61b9919d1b08e84c9acb',
  ])
  expect((await file.handle.readFile()).toString()).toBe('but that')
})

test('RULINGS 23: only files of dead processes are swept', async () => {
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  const mine = await fileNameOf(process.pid, 'aa')
  const names = {
    [await fileNameOf(dead.pid!, 'bb')]: false,
    [mine]: true,
    // The number of a dead process was given to this one.
    [`feed-${process.pid}-1-cc.part`]: process.platform !== 'linux',
    // Where a system does not tell when a process began, its number decides.
    [`feed-${process.pid}-0-dd.part`]: true,
    'feed-1-x.part': true,
    'catalog.csv': true,
  }
  for (const name of Object.keys(names)) await fs.writeFile(join(dir, name), '')
  const stay = Object.entries(names).flatMap(([name, stays]) => (stays ? [name] : []))
  expect(await sweepFiles(dir)).toBe(Object.keys(names).length - stay.length)
  expect((await fs.readdir(dir)).toSorted()).toEqual(stay.toSorted())
  expect(await sweepFiles(join(dir, 'none'))).toBe(0)
})

test.each(['ENOSPC', 'EDQUOT'])(
  'issue 5 §1: a full disk (%s) is a clear failure that may be tried later, and leaves nothing',
  async (code) => {
    await using stand = await openStand()
    await using server = await startSftpServer()
    server.serve(someBytes(100_000))
    const probe = await fs.open(join(dir, 'probe'), 'w')
    const handles = Object.getPrototypeOf(probe) as typeof probe
    await probe.close()
    const full = vi
      .spyOn(handles, 'write')
      .mockRejectedValue(Object.assign(new Error(`${code}: no space left on device, write`), { code }))
    try {
      const failure = await stand.fail(server.connection)
      expect([failure.code, failure.kind]).toEqual(['DISK_FULL', 'transient'])
      expect(failure.message).toContain('the file does not fit on the disk of this machine')
    } finally {
      full.mockRestore()
    }
    await stand.expectNothingLeft()
  },
)
