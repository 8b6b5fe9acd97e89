import { readId } from '../../src/domain/global-id.ts'
import { startTestApp } from './app.ts'
import { impactCsv, type Product } from './feed-files.ts'
import { aFeedOver, asked } from './feeds.ts'
import { startSftpServer } from './sftp-server.ts'
import { until } from './until.ts'

type Options = Parameters<typeof startTestApp>[0]
export type RunRow = { id: string; status: string } & Record<string, unknown>

/** A whole server that may reach loopback, an SFTP server there with one file, and the ways to have feeds of it. */
export async function startFeedApp({ env = {}, ...options }: NonNullable<Options> = {}) {
  await using starting = new AsyncDisposableStack()
  const server = starting.use(await startSftpServer())
  const app = starting.use(await startTestApp({ env: { FRESHET_ALLOW_PRIVATE_NETWORK: 'true', ...env }, ...options }))
  const ask = <Data>(query: string, variables: object = {}): Promise<Data> => asked<Data>(app, query, variables)
  let day = 0
  const lastRun = async (id: string): Promise<RunRow | null> =>
    (
      await ask<{ feed: { lastRun: RunRow | null } }>(
        'query ($id: ID!) { feed(id: $id) { lastRun { id status errorCode skippedReason expiryBlocked counters } } }',
        { id },
      )
    ).feed.lastRun
  const resources = starting.move()
  return {
    app,
    server,
    pool: app.pool,
    ask,
    lastRun,
    numberOf: (id: string) => readId(id)!.id,
    /** Lays a file down, as a network does at night. */
    serve: (products: Product[] | string) =>
      server.serve(
        Buffer.from(typeof products === 'string' ? products : impactCsv(products)),
        new Date(Date.UTC(2026, 0, ++day)),
      ),
    /** A feed of that file, enabled if nothing else is said. Answers its global id. */
    aFeed: (settings: object = {}, { isEnabled = true, name }: { isEnabled?: boolean; name?: string } = {}) =>
      aFeedOver(app, server, { source: name ? { name } : {}, settings, isEnabled }),
    /** Asks for a run, and waits for its end. */
    run: async (id: string, force = false): Promise<RunRow> => {
      const before = await lastRun(id)
      await ask('mutation ($id: ID!, $force: Boolean) { runFeed(id: $id, force: $force) { id } }', { id, force })
      return until('the run has ended', async () => {
        const now = await lastRun(id)
        return now !== null && now.id !== before?.id && now.status !== 'RUNNING' ? now : undefined
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
