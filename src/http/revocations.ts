import type { Listener } from '../db/listen.ts'
import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'
import type { Streams } from './streams.ts'

/** Ends the open subscriptions of a key as soon as it is revoked, whichever process did that. */
export function watchRevocations(listener: Listener, pool: Pool, streams: Streams, log: Log): Disposable {
  const endEnded = async (ids: bigint[]) => {
    if (ids.length === 0) return
    const text =
      'select id from freshet.api_keys where id = any($1) and (revoked_at is not null or expires_at <= now())'
    const { rows } = await pool.query<{ id: string }>({ text, values: [ids] })
    for (const { id } of rows) streams.endKey(BigInt(id))
  }
  const check = (ids: bigint[]) =>
    void endEnded(ids).catch((error: Error) =>
      log.warn({ error: error.message }, 'revoked keys could not be looked up'),
    )
  return listener.on(
    'freshet_key_revoked',
    (id) => check([BigInt(id)]),
    () => check([...streams.keyIds()]), // after a gap: a revocation may have gone unheard
  )
}
