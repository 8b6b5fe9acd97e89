import { DomainError } from '../errors.ts'
import { readRepeatedAs } from './failure.ts'

/** A job as an operator's wish finds it. */
export type Found = { state: string; output: unknown; isDead: boolean }

/** What is said of a wish that is not granted. */
export type Refusal = { message: string; hint: string }

export const conflict = ({ message, hint }: Refusal, field = 'id') =>
  new DomainError('CONFLICT', message, { field, hint })

/** Of a job that went away between the wish and its fulfilment. */
export const gone = {
  message: 'The job is gone: somebody else repeated or deleted it at the same moment.',
  hint: 'Look at the jobs of its queue.',
}
const dismissed = { message: 'The dead letter was dismissed.', hint: 'Ask for the work again where it is asked for.' }
const beingTold = {
  message: 'The failure of this job is not recorded yet.',
  hint: 'A worker does that within moments; then try again.',
}

/** Why a job is not repeated. */
export function retryRefusal({ state, output, isDead }: Found, queue: string): Refusal {
  const repeatedAs = readRepeatedAs(output)
  if (repeatedAs) return { message: `The job was repeated already, as ${repeatedAs}.`, hint: 'Look at that one.' }
  if (isDead && state === 'cancelled') return dismissed
  if (isDead && state !== 'completed' && state !== 'failed') return beingTold
  if (state === 'completed')
    return { message: 'The job ended well.', hint: 'Ask for the work again where it is asked for.' }
  if (state === 'active') return { message: 'The job is being worked on.', hint: 'Cancel it first, or let it end.' }
  if (state === 'created' || state === 'retry')
    return { message: 'The job waits to be worked on.', hint: 'It starts by itself; `startAfter` says when.' }
  return {
    message: `The queue "${queue}" has such a job already, and takes one at a time.`,
    hint: 'Let that one end, or cancel it first.',
  }
}

/** Why a job is not cancelled. */
export function cancelRefusal({ state, output, isDead }: Found): Refusal {
  const repeatedAs = readRepeatedAs(output)
  if (repeatedAs) return { message: `The job was repeated, as ${repeatedAs}.`, hint: 'Cancel that one.' }
  if (isDead && state !== 'cancelled') return beingTold
  const how = { completed: 'ended well', failed: 'failed', cancelled: 'was cancelled' }[state] ?? `is ${state}`
  return { message: `The job ${how} already.`, hint: 'There is nothing left to cancel.' }
}
