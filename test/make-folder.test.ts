import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../src/make-folder.ts'

const root = await mkdtemp(join(tmpdir(), 'freshet-folder-'))
afterAll(() => rm(root, { recursive: true, force: true }))

test('a folder is made with those on the way to it, and is left alone where it is', async () => {
  const folder = join(root, 'a', 'b', 'c')
  expect(await makeFolder(folder)).toBe(true)
  expect((await stat(folder)).isDirectory()).toBe(true)
  expect(await makeFolder(folder)).toBe(false)
})

test('many at once make one folder', async () => {
  const folder = join(root, 'many', 'at', 'once')
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(folder)))
  expect(made.filter(Boolean)).toHaveLength(1)
})

test('what is in the way is named', async () => {
  await writeFile(join(root, 'file'), '')
  await symlink(join(root, 'nowhere'), join(root, 'dangling'))
  await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(root, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(makeFolder(join(root, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' })
})

test.runIf(process.platform === 'linux')('where nothing can be made, that is said at once', async () => {
  await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/x' })
})
