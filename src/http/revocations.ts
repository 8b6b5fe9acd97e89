import type { Listener } from '../db/listen.ts'
import type { Pool } from '../db/pool.ts'
import { readGoodKeys } from '../domain/access/good-keys.ts'
import { reason, type Log } from '../log.ts'
import type { Streams } from './streams.ts'

type Parts = { listener: Listener; pool: Pool; streams: Streams; log: Log }
export type Revocations = Disposable & {
  /** Looks once more whether a key is good, now that its subscription is known: it may have been revoked meanwhile. */
  check(keyId: bigint): void
}

const retryMs = 1_000

/** Ends the open subscriptions of a key as soon as it is revoked or expires, whichever process did that. */
export function watchRevocations({ listener, pool, streams, log }: Parts): Revocations {
  const read = async (ids: bigint[]) => {
    if (ids.length === 0) return
    const good = await readGoodKeys(pool, ids)
    for (const id of ids) {
      const expiresAt = good.get(id)
      if (expiresAt === undefined) streams.endKey(id)
      else streams.expireKey(id, expiresAt)
    }
  }
  let retry: NodeJS.Timeout | undefined
  const check = (isMeant: (keyId: bigint) => boolean) =>
    void read(streams.keyIds().filter(isMeant)).catch((error: unknown) => {
      log.warn({ error: reason(error) }, 'revoked keys could not be looked up; trying again')
      clearTimeout(retry)
      retry = setTimeout(checkAll, retryMs).unref()
    })
  const checkAll = () => check(() => true)
  // After a gap a revocation may have gone unheard, so all are looked at.
  const ear = listener.on('freshet_key_revoked', (id) => check((keyId) => String(keyId) === id), checkAll)
  return {
    check: (id) => check((keyId) => keyId === id),
    [Symbol.dispose]() {
      clearTimeout(retry)
      ear[Symbol.dispose]()
    },
  }
}
