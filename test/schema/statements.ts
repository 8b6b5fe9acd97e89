import pg from 'pg'
import { vi } from 'vitest'

type Sender = { connectionParameters: { application_name?: string } }

/** What is sent to Postgres on the connections that requests share, while `work` runs. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    const calls = spy.mock.calls as unknown as [string | { text?: string }][]
    const senders = spy.mock.contexts as unknown as Sender[]
    return calls
      .filter((_call, index) => senders[index]?.connectionParameters.application_name === 'freshet')
      .map(([sent]) => (typeof sent === 'string' ? sent : (sent.text ?? '')))
      .filter((text) => !text.includes('freshet.tick')) // the clock ticks on the same connections
  } finally {
    spy.mockRestore()
  }
}

/** Without what every request sends: the key is looked up, and marked as used once a minute. */
export const withoutKeyLookup = (statements: string[]): string[] =>
  statements.filter((text) => !/freshet\.api_keys\s+where prefix|set last_used_at/.test(text))
