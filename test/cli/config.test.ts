import { expect, test } from 'vitest'
import { aFolder, credentialKey, run, runJson } from './stand.ts'

const secrets = {
  DATABASE_URL: 'postgres://freshet:of%20the-test@db.example:5432/freshet',
  CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey,
  FRESHET_ADMIN_KEY: `frs_${'k'.repeat(43)}`,
  APIFY_TOKEN: 'apify-token-of-the-test',
}
const clear = [...Object.values(secrets), 'of%20the-test', 'of the-test']

type Shown = { name: string; value: string; source: string }

test('shows each value and where it comes from: the environment, .env or the default', async () => {
  await using folder = await aFolder({ '.env': 'HOST=0.0.0.0\nPORT=4001\n' })
  const { code, answer } = await runJson(['config'], { env: { PORT: '4002' }, folder: folder.dir })
  expect(code).toBe(0)
  const shown = (name: string) => answer.variables.find((variable: Shown) => variable.name === name)
  expect(shown('PORT')).toMatchObject({ value: '4002', source: 'environment' })
  expect(shown('HOST')).toMatchObject({ value: '0.0.0.0', source: '.env' })
  expect(shown('FRESHET_ROLE')).toMatchObject({ value: 'all', source: 'default' })
  expect(answer.warnings).toEqual([])
})

test('writes a table for people', async () => {
  const { code, out, err } = await run(['config'], { env: { PORT: '4002' } })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^NAME +VALUE +FROM$/m)
  expect(out).toMatch(/^PORT +4002 +environment$/m)
  expect(out).toMatch(/^DATABASE_URL +- +default$/m)
})

test.each([[[]], [['--json']]])('masks secrets (%j)', async (more) => {
  const { code, out, err } = await run(['config', ...more], { env: secrets })
  expect(code).toBe(0)
  expect(out).toContain('********')
  for (const secret of clear) expect(out + err).not.toContain(secret)
})

test('warns of an unknown variable and names the nearest', async () => {
  const { code, out } = await run(['config'], { env: { FRESHET_ROL: 'api' } })
  expect(code).toBe(0)
  expect(out).toContain('warning: FRESHET_ROL is not a variable that Freshet knows. Did you mean FRESHET_ROLE?\n')
})

test('tells every problem at once and exits with 2, the values still shown', async () => {
  const env = { PORT: 'x', FRESHET_ROLE: 'boss', DATABASE_URL: 'mysql://u:of-the-test@db' }
  const { code, out, err } = await run(['config'], { env })
  expect(code).toBe(2)
  expect(out).toMatch(/^PORT +\(invalid\) x +environment$/m)
  expect(err).toContain('error [BAD_CONFIGURATION]: The configuration has 3 problems:\n')
  expect(err).toContain('  PORT: must be a whole number from 0 to 65535. It is "x". Example: PORT=4000\n')
  expect(err).toContain('  FRESHET_ROLE: must be one of all, api, worker. It is "boss".')
  expect(out + err).not.toContain('of-the-test')
})

test.each(['config', 'keys list', 'migrate', 'start', 'demo'])(
  'bad configuration makes %s exit with 2 and say so in JSON',
  async (name) => {
    const { code, error } = await runJson(name.split(' '), { env: { PORT: 'x' } })
    expect(code).toBe(2)
    expect(error).toMatchObject({
      code: 'BAD_CONFIGURATION',
      problems: [{ variable: 'PORT', message: 'must be a whole number from 0 to 65535. It is "x".', example: '4000' }],
    })
  },
)
