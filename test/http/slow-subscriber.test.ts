import { request, type IncomingMessage } from 'node:http'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { memoryUsed } from '../support/memory.ts'
import { at } from '../support/moment.ts'
import { startRun } from '../support/runs.ts'
import { messagesOf } from '../support/sse.ts'
import { until } from '../support/until.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const key = await app.keyWith('OPERATE')

const query = 'subscription { runEvents { __typename ... on RunEvent { number message } } }'
const rounds = 20
const perRound = 1_000

/** Commits so many events of a run, each as long as one can be, and announces them. */
async function tell(runId: string, from: number) {
  const text = `insert into freshet.run_events (run_id, number, attempt, at, kind, message)
    select $1, n, 1, $2, 'STAGE', repeat('x', 2000) from generate_series($3::int, $4::int) n`
  await app.pool.query(text, [runId, at(), from, from + perRound - 1])
  await app.pool.query("select pg_notify('freshet_run_events', $1)", [runId])
}

/** Subscribes, and leaves it to the caller how fast to read. */
function subscribeSlowly(): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    request(app.endpoint, { method: 'POST', headers }, resolve).on('error', reject).end(JSON.stringify({ query }))
  })
}

test(
  'one who reads a byte at a time costs the server little, holds up nobody, and misses nothing',
  { timeout: 60_000 },
  async () => {
    const { id } = await startRun(app.pool)
    const slow = await subscribeSlowly()
    onTestFinished(() => void slow.destroy())
    let bytes = ''
    const readByte = () => (bytes += (slow.read(1) as Buffer | null)?.toString() ?? '')
    await until('its stream has begun', () => readByte().length > 0)

    let seen = 1
    const quick = await app.post({ query }, { key, headers: { accept: 'text/event-stream' } })
    const reading = (async () => {
      for await (const message of messagesOf(quick)) {
        const number = Number(/"number":(\d+)/.exec(message)?.[1] ?? seen)
        if (number !== seen && number !== seen + 1) throw new Error(`${number} came after ${seen}.`)
        seen = number
        if (seen === rounds * perRound + 1) return
      }
    })()
    const before = memoryUsed()
    for (let round = 0; round < rounds; round++) {
      await tell(id, 2 + round * perRound)
      await until('the other has them', () => seen === 1 + (round + 1) * perRound)
      readByte()
    }
    await reading
    expect(memoryUsed() - before).toBeLessThan(20_000_000) // of 40 MB that it has still to read, what the connection holds
    const { data } = await app.ask('{ __typename }')
    expect(data).toEqual({ __typename: 'Query' })

    const last = rounds * perRound + 1
    const numbers = []
    for await (const chunk of slow) {
      bytes += String(chunk)
      const lines = bytes.split('\n')
      bytes = lines.pop() ?? ''
      numbers.push(...lines.flatMap((line) => /"number":(\d+)/.exec(line)?.[1] ?? []).map(Number))
      if (numbers.at(-1) === last) break
    }
    expect(numbers.length).toBe(rounds * perRound)
    expect(numbers.every((number, index) => number === index + 2)).toBe(true)
  },
)
