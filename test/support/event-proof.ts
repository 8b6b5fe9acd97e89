import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { encodeId } from '../../src/schema/global-id.ts'
import type { TestApp } from './app.ts'
import { at } from './moment.ts'
import { call, startRun } from './runs.ts'
import { runEvents, subscribe } from './subscribe.ts'
import { until } from './until.ts'

type Proof = { writers: number; eventsEach: number; cuts: number; random: () => number; deadlineMs?: number }

/**
 * Lets many writers append events in transactions that commit in random order, while one subscriber is cut off again and
 * again and resumes behind the last cursor that it saw. Answers what it received, in order, and what was written.
 */
export async function proveExactlyOnce(
  app: TestApp,
  { writers, eventsEach, cuts, random, deadlineMs = 60_000 }: Proof,
) {
  const key = await app.keyWith('OPERATE')
  const total = writers * eventsEach
  const runs = await Promise.all(Array.from({ length: writers }, () => startRun(app.pool)))
  const typed = new Set(runs.map(({ id }) => encodeId('FeedRun', id)))
  await app.pool.query('select freshet.place_run_events()')

  const received: string[] = []
  let cursor: string | undefined
  let cutCount = 0
  const isOurs = ({ runId }: Record<string, unknown>) => typed.has(String(runId))
  /** Watches until so many messages came or nothing is left to come, and is then cut off. */
  const watchFor = async (count: number) => {
    const { messages, leave } = subscribe(app.endpoint, key, runEvents, { after: cursor })
    const isAll = () => received.length + messages.filter(isOurs).length >= total
    await until('the stream goes on', () => messages.length >= count || isAll(), deadlineMs)
    leave()
    // What was taken when the connection broke was seen; all else was not.
    for (const message of messages.slice(0, count)) {
      cursor = String(message.cursor)
      if (isOurs(message)) received.push(`${String(message.runId)}:${String(message.number)}`)
    }
  }
  await watchFor(1)
  const watching = (async () => {
    // The cuts fall anywhere: some before the first event, some after many.
    for (; received.length < total; cutCount++)
      await watchFor(cutCount < cuts ? 1 + Math.floor(random() * ((1.6 * total) / cuts)) : total + 1)
  })()
  const write = async ({ id }: { id: string }) => {
    const client = new pg.Client(app.database.url)
    await client.connect()
    for (let number = 0; number < eventsEach; number++) {
      await client.query('begin')
      await call(client, 'set_run_stage', id, 1, `stage ${number}`, at(number))
      for (let wait = Math.floor(random() * 20); wait > 0; wait--) await turn()
      await client.query('commit')
    }
    await client.end()
  }
  await Promise.all(runs.map(write))
  await watching
  return { received, cuts: cutCount, total, runIds: [...typed] }
}

/** Whether the events of each run were received once each, in order: its first is STARTED, so stages count from 2. */
export function faultsOf({ received, runIds, total }: { received: string[]; runIds: string[]; total: number }) {
  const seen = new Map(runIds.map((id) => [id, 1]))
  let [twice, lost] = [0, 0]
  for (const event of received) {
    const [id = '', number] = event.split(':')
    const last = seen.get(id) ?? 0
    if (Number(number) <= last) twice++
    else lost += Number(number) - last - 1
    seen.set(id, Math.max(last, Number(number)))
  }
  return { received: received.length, lost: lost + (total - received.length + twice), twice }
}
