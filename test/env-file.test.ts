import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readEnvFile } from '../src/env-file.ts'
import { aFolder, run } from './cli/stand.ts'

const root = await mkdtemp(join(tmpdir(), 'freshet-env-'))
afterAll(() => rm(root, { recursive: true, force: true }))
let made = 0

async function written(content: string | Uint8Array): Promise<string> {
  const file = join(root, `${++made}.env`)
  await writeFile(file, content)
  return file
}

test.each([
  ['nothing', '', {}],
  ['comments and blank lines', '# PORT 1\n\n   # more\n', {}],
  ['values', 'PORT=2\nexport HOST = "0.0.0.0" # all\r\nEMPTY=\nURL=postgres://u:p@h/x?a=b\n', { PORT: '2', EMPTY: '' }],
  ['a value of several lines', 'A="one\nno assignment\n"\nPORT=3\n', { A: 'one\nno assignment\n', PORT: '3' }],
  ['a value with quotes inside', `A=it's\nB='say "x"'\n`, { A: "it's", B: 'say "x"' }],
  ['a byte order mark', '\uFEFFPORT=4\n', { PORT: '4' }],
])('%s are understood', async (_what, text, values) => {
  expect(readEnvFile(await written(text))).toMatchObject(values)
})

test('where there is no file there are no variables', () => {
  expect(readEnvFile(join(root, 'none'))).toEqual({})
})

test.each([
  ['no =', 'HOST=::\nPORT 4310\n', ['line 2: there is no "=" after PORT.']],
  ['no name', '=x\n', ['line 1: it is not of the form NAME=value.']],
  ['YAML', 'SECRET: canary\n', ['line 1: it is not of the form NAME=value.']],
  ['a blank in the name', 'MY SECRET=canary\n', ['line 1: it is not of the form NAME=value.']],
  ['an open quote', 'A=1\nB="canary\nC=2\n', ['line 2: the quote (") is not closed.']],
  [
    'several mistakes, one after a value of two lines',
    'canary\nA="1\n2"\nLOG_LEVEL canary\n',
    ['line 1: it is not of the form NAME=value.', 'line 4: there is no "=" after LOG_LEVEL.'],
  ],
])('%s is told by its line, and never what stands there', async (_what, text, told) => {
  const file = await written(text)
  const head = `${file} has ${told.length === 1 ? 'a line that is' : '2 lines that are'} not understood:`
  expect(() => readEnvFile(file)).toThrow(
    expect.objectContaining({
      code: 'BAD_CONFIGURATION',
      message: [head, ...told.map((line) => `  ${line}`)].join('\n'),
      hint: expect.stringContaining('NAME=value') as unknown,
    }),
  )
})

test.each([
  ['bytes that are no UTF-8', Buffer.from([0x50, 0xff, 0xfe, 0x3d, 0x31])],
  ['UTF-16', Buffer.from('PORT=1\n', 'utf16le')],
])('a file with %s is refused', async (_what, bytes) => {
  const file = await written(bytes)
  expect(() => readEnvFile(file)).toThrow(`${file} is not text in UTF-8.`)
})

test('a directory in its place is refused with the exit code of bad configuration, whatever the command', async () => {
  await using folder = await aFolder()
  await mkdir(join(folder.dir, '.env'))
  for (const command of ['start', 'doctor', 'config', 'migrate']) {
    const { code, out, err } = await run([command], { folder: folder.dir })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toBe(
      `error [BAD_CONFIGURATION]: ${join(folder.dir, '.env')} cannot be read: it is a directory.\nhint: Correct or remove it.\n`,
    )
  }
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read is named', async () => {
  const file = await written('PORT=1')
  await chmod(file, 0)
  expect(() => readEnvFile(file)).toThrow(/cannot be read: EACCES/)
})

test('a command with a bad line ends with 2, and with --json names the line', async () => {
  await using folder = await aFolder({ '.env': 'PORT 4310\n' })
  const { code, err } = await run(['config', '--json'], { folder: folder.dir })
  expect(code).toBe(2)
  expect(JSON.parse(err)).toMatchObject({
    error: { code: 'BAD_CONFIGURATION', problems: [{ line: 1, message: 'there is no "=" after PORT.' }] },
  })
})
