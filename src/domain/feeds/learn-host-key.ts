import { queryRows, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import type { FeedForRun } from './feed-for-run.ts'

type Place = Pick<FeedForRun, 'id' | 'host' | 'port'>

/** Pins the host key that the first contact showed (DESIGN 9.10); once one is pinned, none is learned any more. */
export async function learnHostKey(sql: Sql, { id, host, port }: Place, fingerprint: string, log: Log): Promise<void> {
  const statement = 'select freshet.learn_host_key($1, $2, $3, $4) as "isLearned"'
  const [answer] = await queryRows<{ isLearned: boolean }>(sql, statement, [id, host, port, fingerprint])
  if (answer?.isLearned)
    log.warn({ event: 'HOST_KEY_LEARNED', fingerprint }, 'the host key of the server is pinned from now on')
}
