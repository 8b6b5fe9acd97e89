import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import { DomainError } from '../errors.ts'

/** A queue as an operator sees it: `queue_stats` says what each number counts. */
export type QueueStats = {
  name: string
  deadLetter: string | null
  policy: string
  retryLimit: number
  expireSeconds: number
  heartbeatSeconds: number | null
  deletionSeconds: number
  waiting: number
  active: number
  delayed: number
  failed: number
  dead: number
  oldestSeconds: number | null
  completedMinute: number
  completedHour: number
}

const statement = readQuery('queues')

/** Every queue of the program by name, with what lies in it at this moment. */
export const readQueues = (sql: Sql, now: Date): Promise<QueueStats[]> => queryRows(sql, statement, [now])

/** For how long no worker has looked after the queues, which pg-boss notes; null: none ever has. */
export async function readSilence(sql: Sql): Promise<number | null> {
  const text = 'select extract(epoch from clock_timestamp() - max(monitor_on))::float8 as seconds from pgboss.queue'
  const [row] = await queryRows<{ seconds: number | null }>(sql, text)
  return row?.seconds ?? null
}

export type QueueName = { name: string; deadLetter: string | null }

/** The names of all queues, dead letter queues too, but for pg-boss's own. */
export const readQueueNames = (sql: Sql): Promise<QueueName[]> =>
  queryRows(sql, `select name, dead_letter as "deadLetter" from pgboss.queue where left(name, 2) <> '__' order by name`)

/** The queue of this name; refuses one that does not exist, so that a slip is not taken for an empty queue. */
export function pickQueue(queues: QueueName[], name: string, field: string): QueueName {
  const found = queues.find((queue) => queue.name === name)
  if (!found) {
    const hint = `There are ${queues.map((queue) => queue.name).join(', ')}.`
    throw new DomainError('NOT_FOUND', 'There is no such queue.', { field, hint })
  }
  return found
}
