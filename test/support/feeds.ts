import { expect } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import type { TestApp } from './app.ts'
import { aRetailer, aSource } from './rows.ts'
import type { startSftpServer } from './sftp-server.ts'
import { sftpUser } from './sftp-server.ts'

type Server = Pick<Awaited<ReturnType<typeof startSftpServer>>, 'connection'>

/** A feed over SFTP, made through the API, of a source that consumers see; enabled if nothing else is said. Answers its global id. */
export async function aFeedOver(
  app: TestApp,
  { connection: { host, port, path } }: Server,
  { source = {}, settings = {}, isEnabled = true }: { source?: object; settings?: object; isEnabled?: boolean } = {},
): Promise<string> {
  const row = { kind: 'AFFILIATE_FEED', affiliate_network: 'IMPACT', is_display_primary: true, ...source }
  const sourceId = encodeId('Source', await aSource(app.pool, await aRetailer(app.pool), row))
  const { createFeed } = await asked<{ createFeed: { id: string } }>(
    app,
    'mutation ($input: CreateFeedInput!) { createFeed(input: $input) { id } }',
    { input: { sourceId, host, port, path, ...sftpUser, ...settings } },
  )
  if (isEnabled) await asked(app, 'mutation ($id: ID!) { enableFeed(id: $id) { id } }', { id: createFeed.id })
  return createFeed.id
}

/** The data of an operation that must not fail, asked with the first admin key. */
export async function asked<Data>(app: TestApp, query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await app.ask<Data>(query, variables, { key: app.firstKey })
  expect(errors).toBeUndefined()
  return data!
}
