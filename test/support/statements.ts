import pg from 'pg'

type Sender = { connectionParameters: { application_name?: string } }
type Sent = string | { text?: string }

/** What goes on the same connections by itself: the clock's, and the hub's when a run says something. */
const clockwork = /freshet\.(tick|watch_clock|place_run_events)|^select extract\(epoch from clock_timestamp/

/** What this process sends to Postgres on the connections that requests share, statement by statement, until disposed of. */
export function watchStatements(): { statements: string[] } & Disposable {
  const statements: string[] = []
  const own = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')!
  const value = new Proxy(own.value as (...given: unknown[]) => unknown, {
    apply(query, client: Sender, given: [Sent]) {
      const [sent] = given
      const text = typeof sent === 'string' ? sent : (sent.text ?? '')
      if (client.connectionParameters.application_name === 'freshet' && !clockwork.test(text)) statements.push(text)
      return Reflect.apply(query, client, given)
    },
  })
  Object.defineProperty(pg.Client.prototype, 'query', { ...own, value })
  return { statements, [Symbol.dispose]: () => void Object.defineProperty(pg.Client.prototype, 'query', own) }
}

/** What is sent while `work` runs. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  using watch = watchStatements()
  await work()
  return watch.statements
}

/** Without what every request sends: the key is looked up, and marked as used once a minute. */
export const withoutKeyLookup = (statements: string[]): string[] =>
  statements.filter((text) => !/freshet\.api_keys\s+where prefix|set last_used_at/.test(text))
