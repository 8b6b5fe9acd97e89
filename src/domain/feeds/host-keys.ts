import { queryRows, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'

/** Pins the host key that the first contact showed (DESIGN 9.10); once one is pinned, none is learned any more. */
export async function learnHostKey(sql: Sql, feedId: string, fingerprint: string, log: Log): Promise<void> {
  const statement = 'select freshet.learn_host_key($1, $2) as "isLearned"'
  const [answer] = await queryRows<{ isLearned: boolean }>(sql, statement, [feedId, fingerprint])
  if (answer?.isLearned)
    log.warn({ event: 'HOST_KEY_LEARNED', fingerprint }, 'the host key of the server is pinned from now on')
}
