import type { ClientBase } from 'pg'
import { ok, warn, type Finding } from './finding.ts'

const maxSkewSeconds = 2
const maxSilenceSeconds = 60
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
  return warn('clock skew', message, 'Let both keep time by NTP: expiry and schedules go by these clocks.')
}

type ClockRow = { driver: string | null; age: number | null }

/** Whether somebody drives the schedules. Says nothing where the clock is not there yet, or may not be read: others say that. */
export async function checkClockDriver(client: ClientBase): Promise<Finding[]> {
  try {
    const { rows } = await client.query<ClockRow>(
      'select driver, extract(epoch from clock_timestamp() - last_tick_at)::float8 as age from freshet.clock',
    )
    return [judgeDriver(rows[0])]
  } catch (error) {
    if (['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')) return []
    throw error
  }
}

function judgeDriver(row: ClockRow | undefined): Finding {
  const advice = 'Start a process that works jobs: "freshet start", or "freshet start --role worker".'
  if (!row || row.age === null) return warn('schedules', 'no worker has driven them yet', advice)
  const age = row.age < 120 ? `${Math.max(0, Math.round(row.age))} s` : `${Math.round(row.age / 60)} min`
  if (row.age > maxSilenceSeconds) return warn('schedules', `the last tick was ${age} ago, by ${row.driver}`, advice)
  return ok('schedules', `driven by ${row.driver}, last tick ${age} ago`)
}
