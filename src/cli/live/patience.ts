import { hasWorker } from '../../domain/queue/worker.ts'
import { CommandError } from '../error.ts'
import type { Live } from './hub.ts'

const hint = 'Start one with "freshet start", or "freshet start --role worker" beside an API.'

/**
 * Watches, while a job waits, whether anybody is there to take it: says so once where nobody is, and gives up after so many
 * seconds. What was asked for stays asked for.
 */
export function patience({ pool, now }: Live, seconds: number, tell: (text: string) => void) {
  let aloneSince: number | undefined
  return {
    async look(): Promise<void> {
      if (await hasWorker(pool)) {
        aloneSince = undefined
        return
      }
      const time = now().getTime()
      if (aloneSince === undefined) tell(`No worker is running: this waits until one does. ${hint}`)
      aloneSince ??= time
      if (time - aloneSince < seconds * 1000) return
      throw new CommandError('NO_WORKER', `No worker was running for ${seconds} s; the job waits for one.`, { hint })
    },
  }
}
