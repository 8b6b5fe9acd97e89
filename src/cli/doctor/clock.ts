import type { ClientBase } from 'pg'
import { readClock, type ClockState } from '../../domain/schedules/clock.ts'
import { fail, isAbsent, ok, warn, type Finding } from './finding.ts'

const maxSkewSeconds = 2
const samples = 3

/** How far this machine's clock is from the database's. Of a few askings the fastest answer is the most exact. */
export async function checkClockSkew(client: ClientBase, now: () => Date): Promise<Finding> {
  const measured: { tripMs: number; skewMs: number }[] = []
  for (let sample = 0; sample < samples; sample++) {
    const before = now().getTime()
    const { rows } = await client.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    )
    const after = now().getTime()
    measured.push({ tripMs: after - before, skewMs: (before + after) / 2 - (rows[0]?.ms ?? 0) })
  }
  const [best] = measured.sort((a, b) => a.tripMs - b.tripMs)
  return judgeSkew(Math.round(best?.skewMs ?? 0) / 1000)
}

function judgeSkew(skewSeconds: number): Finding {
  const size = Math.abs(skewSeconds)
  if (size <= maxSkewSeconds)
    return ok('clock skew', `this machine and the database agree within ${Math.max(size, 0.1).toFixed(1)} s`)
  const message = `this machine is ${size.toFixed(1)} s ${skewSeconds > 0 ? 'ahead of' : 'behind'} the database`
  return warn(
    'clock skew',
    message,
    "Let both keep time by NTP: servers go by the database's time, single commands and the log by this machine's.",
  )
}

/** Whether somebody drives the schedules. Says nothing where the clock is not there yet, or may not be read: others say that. */
export async function checkClockDriver(client: ClientBase): Promise<Finding[]> {
  try {
    return [judgeDriver(await readClock(client))]
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

function judgeDriver({ driver, lagSeconds, isLate }: ClockState): Finding {
  const advice =
    'Start a process that works jobs: "freshet start", or "freshet start --role worker". docs/operations.md says more.'
  if (lagSeconds === null) return (isLate ? fail : warn)('schedules', 'nobody has driven them yet', advice)
  const age = lagSeconds < 120 ? `${Math.round(lagSeconds)} s` : `${Math.round(lagSeconds / 60)} min`
  if (isLate) return fail('schedules', `the last tick was ${age} ago${driver ? `, by ${driver}` : ''}`, advice)
  return ok('schedules', `driven by ${driver}, last tick ${age} ago`)
}
