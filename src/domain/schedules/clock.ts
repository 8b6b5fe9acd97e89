import { queryRows, type Sql } from '../../db/sql.ts'

/** How the clock stands, by the clock of the database. `lagSeconds` counts from the last tick; null: there was none. */
export type ClockState = {
  driver: string | null
  lastTickAt: Date | null
  leaseUntil: Date | null
  lagSeconds: number | null
  isLate: boolean
}

/** How long a worker that drives may be silent before another takes over. */
export const leaseSeconds = 15

/** After how long without a tick the clock is late; freshet.clock_state knows it too. */
export const lateSeconds = 165

const columns =
  'driver, last_tick_at as "lastTickAt", lease_until as "leaseUntil", lag_seconds as "lagSeconds", is_late as "isLate"'

/** Reads how the clock stands. */
export const readClock = (sql: Sql): Promise<ClockState> =>
  read(sql, `select ${columns} from freshet.clock_state(now())`)

/** Reads how the clock stands, and raises an alert if it is late. */
export const watchClock = (sql: Sql): Promise<ClockState> =>
  read(sql, `select ${columns} from freshet.watch_clock(now())`)

async function read(sql: Sql, text: string): Promise<ClockState> {
  const [state] = await queryRows<ClockState>(sql, text)
  if (!state) throw new Error('The clock has no row.')
  return state
}

/** What came of a beat: whether the caller drives the schedules, and how many of them were due. */
export type Beat = { drives: boolean; claimed: number }

/** Offers to drive the schedules. The lease lasts three beats of a worker, so that one that is late does not lose the clock. */
export async function offerTick(sql: Sql, driver: string): Promise<Beat> {
  const text = 'select drives, claimed from freshet.tick($1, make_interval(secs => $2), now())'
  const [beat] = await queryRows<Beat>(sql, text, [driver, leaseSeconds])
  return beat ?? { drives: false, claimed: 0 }
}

/** Hands the clock over: whoever offers next drives at once. */
export async function releaseClock(sql: Sql, driver: string): Promise<void> {
  await queryRows(sql, 'select freshet.release_clock($1, now())', [driver])
}

/** What is wrong with the clock, and what to do, in a line; nothing if it beats in time. */
export function clockProblem({ driver, lagSeconds, isLate }: ClockState): string | undefined {
  if (!isLate) return undefined
  const advice = 'start a worker, and look at its log'
  if (lagSeconds === null) return `late: nobody has driven the schedules yet; ${advice}`
  return `late: the last tick was ${Math.round(lagSeconds)} s ago${driver ? `, by ${driver}` : ''}; ${advice}`
}
