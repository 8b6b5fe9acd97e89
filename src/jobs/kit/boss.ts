import { PgBoss, type Clock } from 'pg-boss'
import { workerConnectionName } from '../../domain/queue/worker.ts'
import { reason, type Log } from '../../log.ts'

export const superviseSeconds = 5
/**
 * How long the queue waits for an answer: a worker whose connection died silently would never fetch again. pg-boss hands it on
 * to pg; its types do not know it.
 */
const patience = { keepAlive: true, query_timeout: 20_000 }

export type BossOptions = { url: string; log: Log; clock: Clock; connections: number }

/** pg-boss for a process that works: it also looks after jobs whose worker died, whoever's they were. */
export async function startBoss({ url, log, clock, connections }: BossOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: workerConnectionName,
    max: connections,
    connectionTimeoutMillis: 5_000,
    ...patience,
    migrate: false,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    clock,
  })
  boss.on('error', (error) => log.warn({ error: reason(error) }, 'the queue met an error'))
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'the queue warns'))
  await boss.start()
  return boss
}
