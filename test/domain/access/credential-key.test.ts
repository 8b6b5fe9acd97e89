import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepCredentialKey } from '../../../src/domain/access/credential-key.ts'

let dir: string
const file = () => join(dir, 'credential-key')
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'freshet-credential-'))
})
afterEach(() => rm(dir, { recursive: true }))

test('makes a key of 32 bytes once and finds it again; nobody else may read it', async () => {
  const key = await keepCredentialKey(dir)
  expect(key).toHaveLength(32)
  expect(await readFile(file(), 'utf8')).toBe(`${key.toString('base64')}\n`)
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(await keepCredentialKey(dir)).toEqual(key)
})

test('keeps a generous umask out', async () => {
  const before = process.umask(0)
  try {
    await keepCredentialKey(dir)
  } finally {
    process.umask(before)
  }
  expect((await stat(file())).mode & 0o777).toBe(0o600)
})

test('makes the folder where it is missing', async () => {
  const key = await keepCredentialKey(join(dir, 'a', 'b'))
  expect(await keepCredentialKey(join(dir, 'a', 'b'))).toEqual(key)
})

test('ten at once agree on one key and leave nothing else behind', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, () => keepCredentialKey(dir)))
  expect(new Set(keys.map((key) => key.toString('hex')))).toHaveProperty('size', 1)
  expect(await readdir(dir)).toEqual(['credential-key'])
})

test.each([
  ['empty', ''],
  ['cut short', 'AAAA'],
  ['too long', Buffer.alloc(33).toString('base64')],
  ['not base64', 'this is not a key, but it is long enough...'],
  [
    'damaged in the middle',
    `${Buffer.alloc(32, 7).toString('base64').slice(0, 20)}!${Buffer.alloc(32, 7).toString('base64').slice(20)}`,
  ],
])('says of a file that is %s that it must be restored, and never replaces it', async (_what, text) => {
  await writeFile(file(), text)
  await expect(keepCredentialKey(dir)).rejects.toThrow(
    `${file()} does not hold a key of 32 bytes in base64. Restore it from a backup: without it stored credentials cannot be read.`,
  )
  expect(await readFile(file(), 'utf8')).toBe(text)
})

test('something else in its place is an error, and stays', async () => {
  await mkdir(file())
  await expect(keepCredentialKey(dir)).rejects.toMatchObject({ code: 'EISDIR' })
  expect((await stat(file())).isDirectory()).toBe(true)
})
