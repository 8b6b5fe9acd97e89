import { afterAll, expect, test } from 'vitest'
import { encodeId, readId } from '../../src/domain/global-id.ts'
import { loadOperations } from '../../src/http/graphiql/operations.ts'
import { startFeedApp } from '../support/feed-app.ts'
import { productsOf } from '../support/feed-files.ts'
import { aRetailer } from '../support/rows.ts'
import { sftpUser } from '../support/sftp-server.ts'
import { subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'

const feeds = await startFeedApp()
afterAll(() => feeds[Symbol.asyncDispose]())

const operations = loadOperations()
const used = new Set<string>()
const operationOf = (file: string) => {
  used.add(file)
  return operations.find((operation) => operation.file === `${file}.graphql`)!
}
/** Whatever the operation asks for. */
type Answer = ReturnType<typeof JSON.parse>
/** Sends an operation of the drop-down as it is, only with these values in its variables. */
const send = (file: string, values: object = {}, change: (query: string) => string = (query) => query) => {
  const { query, variables } = operationOf(file)
  return feeds.ask<Answer>(change(query), { ...(variables ? JSON.parse(variables) : {}), ...values })
}

test('the ready-made operations of feeds and offers lead from a retailer to a decided block', async () => {
  const retailerId = encodeId('Retailer', await aRetailer(feeds.pool))
  const { createSource } = await send('25-feeds/10-create-source', { retailerId })
  await send('20-sources/20-set-display-primary', { id: createSource.id })
  const { host, port, path } = feeds.server.connection
  const created = await send('25-feeds/20-create', { sourceId: createSource.id }, (query) =>
    query
      .replace('"products.impact.example"', `"${host}" port: ${port}`)
      .replace(/"\/Example-Shop.*"/, `"${path}"`)
      .replace('"user name of the network"', `"${sftpUser.username}"`)
      .replace('"password of the network"', `"${sftpUser.password}"`),
  )
  expect(created.createFeed).toMatchObject({ status: 'DRAFT', dialect: 'IMPACT', hasPassword: true })
  const { id } = created.createFeed
  const { updateFeed } = await send('25-feeds/42-update', { input: { id, path, password: '' } })
  expect(updateFeed).toMatchObject({ path, hasPassword: true })

  feeds.serve(productsOf(50, (n) => ({ ...(n === 7 && { price: 'POA' }) })))
  const { testFeed } = await send('25-feeds/30-test', { id })
  expect(testFeed).toMatchObject({ isDone: true, run: { status: 'SUCCEEDED', testResult: { success: true } } })
  expect((await send('25-feeds/40-enable', { id })).enableFeed.status).toBe('ENABLED')
  const runNow = async (force = false) => {
    const before = (await feeds.lastRun(id))?.id
    await send('25-feeds/50-run', { id, force })
    return until('the run has ended', async () => {
      const run = await feeds.lastRun(id)
      return run !== null && run.id !== before && run.status === 'SUCCEEDED' ? run.id : undefined
    })
  }
  const runId = await runNow()
  const watched = subscribe(feeds.app.endpoint, feeds.app.firstKey, operationOf('25-feeds/55-watch').query, { runId })
  await watched.over
  expect(watched.messages).toMatchObject([{ __typename: 'RunState', run: { status: 'SUCCEEDED', pace: null } }])

  const { feeds: list } = await send('25-feeds/80-list')
  expect(list.nodes[0]).toMatchObject({ name: 'Example Shop via Impact', network: 'IMPACT', lastRun: { id: runId } })
  const { run } = await send('25-feeds/90-errors', { runId })
  expect(run).toMatchObject({
    rowsRead: 50,
    productsRejected: 1,
    errorTotals: [{ code: 'PRICE_ON_REQUEST', total: 1 }],
  })
  expect(run.errors.nodes[0]).toMatchObject({ line: 8, code: 'PRICE_ON_REQUEST' })
  expect((await send('25-feeds/95-export-errors', { runId })).exportRunErrors).toMatch(/^line,code,.*\r?\n8,PRICE_ON/)

  const { offers } = await send('26-offers/10-list', { filter: { sourceId: createSource.id } })
  expect(offers).toMatchObject({ totalCount: 49, nodes: { length: 20 } })
  const offerId = offers.nodes.find(({ title }: { title: string }) => title === 'Product i1').id
  const { offer } = await send('26-offers/20-trace', { id: offerId })
  expect(offer).toMatchObject({
    title: 'Product i1',
    seenIn: { id: runId, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    priceHistory: { nodes: [{ amount: '10.00', line: 2, isHeld: false, run: { id: runId } }] },
  })

  // A price that is a hundred times as high is held back.
  feeds.serve(productsOf(50, (n) => ({ price: n === 1 ? '1000.00' : '10.00' })))
  await runNow()
  expect((await send('26-offers/20-trace', { id: offerId })).offer).toMatchObject({ price: '10.00' })
  const accepted = await send('26-offers/30-accept-price', { offerId })
  expect(accepted.acceptPrice).toMatchObject({ isDone: true, offer: { price: '1000.00' } })

  feeds.serve(productsOf(30))
  const first = await runNow()
  const blocked = (await send('25-feeds/60-blocked')).runs.nodes
  expect(blocked).toMatchObject([
    { id: first, blockReasons: ['SPIKE_THRESHOLD_EXCEEDED'], impact: { wouldExpireCount: 20, nodes: { length: 20 } } },
  ])
  const rejected = await send('25-feeds/66-reject', { runId: first })
  expect(rejected.rejectActivation.run.rejectedReason).toBe('The network sent half a file.')
  const second = await runNow(true)
  const approved = await send('25-feeds/65-approve', { runId: second, expectedWouldExpire: 20 })
  expect(approved.approveActivation).toMatchObject({ isDone: true, run: { productsExpired: 20 } })

  expect((await send('25-feeds/45-pause', { id })).pauseFeed.status).toBe('PAUSED')
  await feeds.pool.query(
    `update freshet.feeds set status = 'DISABLED', consecutive_failures = 3, status_reason = 'It failed.' where source_id = $1`,
    [readId(createSource.id)!.id],
  )
  const { reenableFeed } = await send('25-feeds/46-reenable', { id })
  expect(reenableFeed).toMatchObject({ status: 'ENABLED', consecutiveFailures: 0 })

  const fingerprint = `SHA256:${'a'.repeat(43)}`
  const { acceptHostKey } = await send('25-feeds/70-accept-host-key', { id, fingerprint })
  expect(acceptHostKey.hostKeys).toEqual([feeds.server.fingerprint, fingerprint])

  const ours = operations.map(({ file }) => file.replace('.graphql', '')).filter((file) => /^2[56]-/.test(file))
  expect(ours.filter((file) => !used.has(file))).toEqual([])
})
