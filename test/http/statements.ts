import pg from 'pg'

type Client = { connectionParameters: { application_name?: string } }

/** What this process sends to Postgres over the pool that requests share, statement by statement. */
export function watchStatements(): string[] {
  const statements: string[] = []
  const send = Reflect.get(pg.Client.prototype, 'query') as (...given: unknown[]) => unknown
  const value = new Proxy(send, {
    apply(query, client: Client, given: [string | { text: string }]) {
      const [statement] = given
      if (client.connectionParameters.application_name === 'freshet')
        statements.push(typeof statement === 'string' ? statement : statement.text)
      return Reflect.apply(query, client, given)
    },
  })
  Object.defineProperty(pg.Client.prototype, 'query', { value })
  return statements
}
