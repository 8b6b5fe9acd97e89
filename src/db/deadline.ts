import { AsyncLocalStorage } from 'node:async_hooks'

/** How long a piece of work has, and whether a transaction of it got as far as to be committed. */
export type Deadline = { signal: AbortSignal; endsAt: number; reachedCommit: boolean }

const current = new AsyncLocalStorage<Deadline>()

/** Runs `work` so that no transaction begun inside it, however deep, commits once the deadline is over. */
export const withDeadline = <Result>(deadline: Deadline, work: () => Result): Result => current.run(deadline, work)

/** The deadline of the request at work; nothing where none is set, as on the command line. */
export const currentDeadline = (): Deadline | undefined => current.getStore()
