// A worker in a process of its own, for what only a whole process can show: signals and sudden death. Its queues:
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { defineJob } from '../../src/jobs/kit.ts'
import { runServer } from '../../src/main.ts'

const payload = z.object({ number: z.number() })
const options = { retryDelays: [0, 0], expireInSeconds: 600 }

/** Runs until its process ends, or for ever. */
const hold = defineJob({
  name: 'hold',
  payload,
  options: { ...options, concurrency: 20 },
  async work({ log }) {
    log.info('holding')
    await new Promise(() => {})
  },
})

/** Takes its process with it, as the kernel does with one that eats all memory. */
const poison = defineJob({
  name: 'poison',
  payload,
  options,
  async work() {
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => {})
  },
})

/** Takes 20 ms and no processor. */
const errand = defineJob({
  name: 'errand',
  payload,
  options: { ...options, concurrency: 5 },
  async work() {
    await pause(20)
  },
})

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(signal))
await runServer(process.env, { out: process.stdout, signal: stop.signal, jobs: [hold, poison, errand] })
process.exit()
