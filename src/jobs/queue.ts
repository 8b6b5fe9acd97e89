import { PgBoss } from 'pg-boss'
import type { Role } from '../config.ts'
import { reason, type Log } from '../log.ts'

const superviseSeconds = 5

/** The job queue. Every process may enqueue; one that works also looks after jobs whose worker died. */
export async function startQueue(url: string, role: Role, log: Log): Promise<PgBoss & AsyncDisposable> {
  const works = role !== 'api'
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'freshet:queue',
    max: works ? 6 : 2,
    migrate: false,
    schedule: false,
    supervise: works,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  })
  boss.on('error', (error) => log.warn({ error: reason(error) }, 'the queue met an error'))
  await boss.start()
  return Object.assign(boss, { [Symbol.asyncDispose]: () => boss.stop({ graceful: true, timeout: 5_000 }) })
}
