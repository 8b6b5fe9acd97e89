import type { ClientBase } from 'pg'
import { readQueues, readSilence, type QueueStats } from '../../domain/queue/queue.ts'
import { isAbsent, ok, warn, type Finding } from './finding.ts'

const maxSilenceSeconds = 60

/** Whether somebody works the queues, and what waits for a person. */
export async function checkQueues(client: ClientBase, now: Date): Promise<Finding[]> {
  try {
    const silence = await readSilence(client)
    const queues = await readQueues(client, now)
    const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
    return [judgeWorkers(silence, waiting), judgeDead(queues)]
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** Workers look after the queues every few seconds, and pg-boss notes when. */
export function judgeWorkers(age: number | null, waiting: number): Finding {
  const waits = waiting === 0 ? 'no job waits' : `${waiting} ${waiting === 1 ? 'job waits' : 'jobs wait'}`
  const advice = 'Start a process that works jobs: "freshet start", or "freshet start --role worker".'
  if (age === null) return warn('workers', `none was seen yet; ${waits}`, advice)
  const shown = age < 120 ? `${Math.max(0, Math.round(age))} s` : `${Math.round(age / 60)} min`
  if (age > maxSilenceSeconds) return warn('workers', `none was seen for ${shown}; ${waits}`, advice)
  return ok('workers', `seen ${shown} ago; ${waits}`)
}

/** Dead letters wait for a person to decide. */
export function judgeDead(queues: Pick<QueueStats, 'name' | 'dead'>[]): Finding {
  const holding = queues.filter(({ dead }) => dead > 0)
  if (holding.length === 0) return ok('dead letters', 'none')
  const message = holding.map(({ name, dead }) => `${dead} of ${name}`).join(', ')
  return warn(
    'dead letters',
    message,
    'Mend what they failed of, then "redriveQueue" them; see docs/operations.md, Queues.',
  )
}
