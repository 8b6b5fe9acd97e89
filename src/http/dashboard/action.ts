import { z } from 'zod'

/** What somebody asks of a queue through the dashboard. */
export type Action =
  | { kind: 'retry' | 'cancel' | 'delete'; queue: string; jobId: string }
  | { kind: 'send'; queue: string }

const kinds: Record<string, 'retry' | 'cancel' | 'delete'> = {
  retry: 'retry',
  // To the dashboard a cancelled job goes on; here its run has ended, so that is a retry like any other.
  resume: 'retry',
  cancel: 'cancel',
  delete: 'delete',
}

/**
 * Reads what a form of the dashboard asks for; nothing for what is not done through it. Queues and schedules are made from
 * code: one made by hand would be worked by nobody.
 */
export function readAction(path: string, form: URLSearchParams): Action | undefined {
  const steps = path
    .replace(/\.data$/, '')
    .split('/')
    .slice(1)
  const [place, queue, jobs, jobInPath] = steps.map(decode)
  if (place === 'send' && steps.length === 1) {
    const queueName = form.get('queueName')?.trim()
    return queueName ? { kind: 'send', queue: queueName } : undefined
  }
  const jobId = steps.length === 2 ? form.get('jobId') : steps.length === 4 && jobs === 'jobs' ? jobInPath : undefined
  const kind = kinds[form.get('intent') ?? '']
  if (place !== 'queues' || !queue || !kind || !z.guid().safeParse(jobId).success) return undefined
  return { kind, queue, jobId: jobId ?? '' }
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return ''
  }
}

/**
 * The result of an action as the dashboard's own pages expect it: a list in which objects name their keys and values by
 * place (React Router's "single fetch").
 */
export function encodeResult(isDone: boolean, message: string): string {
  const result = { success: isDone, affected: isDone ? 1 : 0, message, ...(isDone ? {} : { error: message }) }
  const list: unknown[] = [{ _1: 2 }, 'data', {}]
  const places: Record<string, number> = {}
  for (const [key, value] of Object.entries(result)) {
    places[`_${list.push(key) - 1}`] = list.push(value) - 1
  }
  list[2] = places
  return `${JSON.stringify(list)}\n`
}
