import type { Pool } from '../../db/pool.ts'
import type { Db } from '../../db/prisma.ts'
import type { Log } from '../../log.ts'
import type { EventHub } from '../runs/event-hub.ts'
import type { KeyRing } from './credentials/key-ring.ts'

/** What the operations on feeds work with. */
export type FeedParts = {
  db: Db
  pool: Pool
  /** Encrypts credentials. Nothing here decrypts one: that is done on a worker, just before it connects. */
  keyRing: KeyRing
  allowPlainFtp: boolean
  eventHub: EventHub
  log: Log
  now: () => Date
}
