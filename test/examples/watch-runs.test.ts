import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { makeKey } from '../../src/domain/access/key.ts'
import { startTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())

/** The example in a process of its own, until it ends or is ended. */
function watchRuns(env: Record<string, string>) {
  const child = spawn(process.execPath, ['examples/watch-runs.mjs'], {
    env: { FRESHET_URL: app.endpoint, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += String(chunk)))
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
  return {
    ended,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

test.each([
  [
    'wrong',
    { FRESHET_KEY: makeKey() },
    ['INVALID_KEY: The key is unknown', 'Check that the whole key', `Is ${app.endpoint} the`],
  ],
  ['missing', {}, ['INVALID_KEY: ', 'Check that the whole key', `Is ${app.endpoint} the`]],
  ['one that may only read', { FRESHET_KEY: await app.keyWith('READ') }, ['FORBIDDEN: ']],
])('the example that watches runs stops when the key is %s', async (_how, env, said) => {
  await using watching = watchRuns(env)
  const end = await watching.ended
  expect(end.code).toBe(1)
  const lines = end.said.trimEnd().split('\n')
  expect(lines).toEqual(said.map((start) => expect.stringContaining(start) as unknown))
})

test('it prints events, and stops when its key is revoked under it', async () => {
  const key = await app.keyWith('OPERATE')
  await using watching = watchRuns({ FRESHET_KEY: key })
  const { pool } = app.database
  await until('it listens', async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    return /^freshet_subscribers 1$/m.test(metrics)
  })
  await pool.query("select freshet.start_run(null, 'FEED', 'MANUAL', null, null, null, now())")
  await until('it told of the run', () => /^\S+ 1 [A-Z]+/m.test(watching.said()))
  await pool.query("update freshet.api_keys set revoked_at = now() where 'OPERATE' = any(scopes)")
  const { code, said } = await watching.ended
  expect({ code, last: said.trimEnd().split('\n').at(-1) }).toEqual({
    code: 1,
    last: expect.stringMatching(/^INVALID_KEY: /) as string,
  })
})
