import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectDir, run, runJson, start } from './stand.ts'

const groups = ['keys', 'retailers', 'sources', 'feeds', 'offers']
const leaves = [
  'start',
  'demo',
  'migrate',
  'config',
  'doctor',
  'keys create',
  'keys list',
  'keys revoke',
  'keys rotate-credentials',
  'retailers import',
  'sources import',
  'feeds list',
  'feeds run',
  'feeds test',
  'offers rebuild',
  'psql',
]

test('help lists every command, the exit codes and examples', async () => {
  const { code, out, err } = await run(['--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const name of new Set(leaves.map((leaf) => leaf.split(' ')[0] ?? ''))) {
    expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
  expect(out).toContain('Examples:\n  freshet start')
  expect(out).toContain(
    'Exit codes: 0 fine, 1 the command failed, 2 wrong usage or bad configuration, 130 interrupted.',
  )
})

test.each([...groups, ...leaves])('help on %s shows what it does, --json and examples', async (name) => {
  const { code, out, err } = await run([...name.split(' '), '--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`Usage: freshet ${name} [options]`)
  expect(out).toContain('--json')
  expect(out).toMatch(new RegExp(`Examples:\\n(  .*\\n)*  .*(freshet|npm run) ${name}`))
})

test.each([
  [['--bogus'], 'freshet'],
  [['strat'], 'freshet'],
  [['config', '--bogus'], 'freshet config'],
  [['config', 'more'], 'freshet config'],
  [['start', '--role', 'boss'], 'freshet start'],
  [['--json', 'keys', 'create', '--scope', 'READ'], 'freshet keys create'],
])('wrong usage %j exits with 2, one line and a hint at the help of %s', async (argv, command) => {
  const { code, out, err } = await run(argv.filter((word) => word !== '--json'))
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(
    new RegExp(`^error \\[WRONG_USAGE\\]: .*\\n(\\(Did you mean .*\\)\\n)?hint: See "${command} --help"\\.\\n$`),
  )
})

test.each([[[]], [['keys']]])('a missing command %j shows the help and exits with 2', async (argv) => {
  const { code, out, err } = await run(argv)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/^Usage: freshet/)
})

test.each([
  [['strat'], "unknown command 'strat'\n(Did you mean start?)", 'freshet'],
  [['keys'], 'A command is missing.', 'freshet keys'],
  [['keys', 'create', '--scope', 'READ'], "required option '--name <name>' not specified", 'freshet keys create'],
])('wrong usage %j is told in JSON', async (argv, message, command) => {
  expect(await runJson(argv)).toEqual({
    code: 2,
    answer: undefined,
    error: { code: 'WRONG_USAGE', message, hint: `See "${command} --help".`, problems: [] },
  })
})

test('--json may stand before the command, between its words or at the end', async () => {
  const words = ['keys', 'revoke', '7']
  for (const at of [0, 1, 2, 3]) {
    const argv = words.toSpliced(at, 0, '--json')
    const { err } = await run(argv, { env: { PORT: 'x' } })
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'BAD_CONFIGURATION' } })
  }
})

test('the program says its version on the Node of the user', async () => {
  const { version } = JSON.parse(await readFile(join(projectDir, 'package.json'), 'utf8'))
  await using program = start(['--version'])
  expect(await program.ended).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test('the program exits with 2 on wrong usage', async () => {
  await using program = start(['strat'])
  const { code, err } = await program.ended
  expect({ code, first: err.split('\n')[0] }).toEqual({
    code: 2,
    first: "error [WRONG_USAGE]: unknown command 'strat'",
  })
})
