import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns, type FeedStand } from '../../support/feed-runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const at = (price: string, currency = 'USD') => [{ id: 'a', price, currency }]
const shown = async (feed: FeedStand, hours: number) => (await feeds.visible(feed, hours))[0]?.price
const written = async (feed: FeedStand) =>
  (await feeds.prices(feed)).map(({ amount, reason, is_held }) => `${amount} ${reason}${is_held ? ' held' : ''}`)
const accept = async (feed: FeedStand, hours: number) =>
  feeds.callOf<string>('accept_price', await feeds.offerId(feed, 'a'), hour(hours))
const none = { code: 'FR052' }

test.each([
  ['100.00', false],
  ['100.01', true],
  ['1.00', false],
  ['0.99', true],
])('RULINGS 19: a price of 10.00 that becomes %s is held back: %s', async (price, isHeld) => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  const { id, row } = await feeds.run(feed, at(price), { at: 1 })
  expect(row).toMatchObject({ status: 'SUCCEEDED', is_blocked: false, error_count: 0 })
  expect(await shown(feed, 1)).toBe(isHeld ? '10.00' : price)
  expect(await written(feed)).toEqual(['10.00 NEW', `${price} CHANGED${isHeld ? ' held' : ''}`])
  const notes = await feeds.rowsOf('select code, line, details from freshet.run_errors where run_id = $1', id)
  const details = { offerId: await feeds.offerId(feed, 'a'), old: '10.00', new: price, currency: 'USD' }
  expect(notes).toEqual(isHeld ? [{ code: 'IMPLAUSIBLE_PRICE', line: 2, details }] : [])
  expect(await feeds.rebuild(1)).toBe(0)
})

test('RULINGS 19: another currency is no factor, and a first price is never held', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('9000.00'))
  await feeds.run(feed, at('1.00', 'EUR'), { at: 1 })
  expect(await feeds.visible(feed, 1)).toMatchObject([{ price: '1.00', currency: 'EUR' }])
})

test('RULINGS 19: the next processed run with the same price shows it; a skipped or failed one between does not count', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await feeds.run(feed, at('500.00'), { at: 1 })
  await feeds.run(feed, [], { at: 2, skip: 'UNCHANGED_HASH' })
  await feeds.run(feed, at('500.00'), { at: 3, fail: { code: 'PARSE_FAILED' } })
  expect(await shown(feed, 3)).toBe('10.00')
  await feeds.run(feed, at('500.00'), { at: 4 })
  expect(await shown(feed, 4)).toBe('500.00')
  expect((await written(feed)).at(-1)).toBe('500.00 CHANGED')
  expect(await feeds.rebuild(4)).toBe(0)
})

test('RULINGS 19: a retry of the run that held a price is no repetition', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  const { jobId } = await feeds.run(feed, at('500.00'), { at: 1, dieAfter: 1 })
  await feeds.run(feed, at('500.00'), { at: 2, jobId })
  expect(await shown(feed, 2)).toBe('10.00')
  expect(await written(feed)).toEqual(['10.00 NEW', '500.00 CHANGED held'])
})

test('RULINGS 19: another implausible price is held in its turn', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  for (const [index, price] of ['500.00', '600.00', '500.00'].entries())
    await feeds.run(feed, at(price), { at: index + 1 })
  expect(await shown(feed, 3)).toBe('10.00')
  expect((await written(feed)).slice(1).every((price) => price.endsWith('held'))).toBe(true)
})

test('RULINGS 19: acceptPrice shows a held price at once, and the next run finds it unchanged', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await feeds.run(feed, at('500.00'), { at: 1 })
  await accept(feed, 2)
  expect(await shown(feed, 2)).toBe('500.00')
  expect(await written(feed)).toEqual(['10.00 NEW', '500.00 CHANGED held', '500.00 ACCEPTED'])
  expect(await feeds.rebuild(2)).toBe(0)
  expect((await feeds.run(feed, at('500.00'), { at: 3 })).row.counters.pricesWritten).toBe(0)
})

test('S2 §4.1: the read side is derived alike from history when the clock was set back after a price was accepted', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await feeds.run(feed, at('500.00'), { at: 1 })
  await accept(feed, 4)
  await feeds.run(feed, at('400.00'), { at: 2 })
  expect(await shown(feed, 2)).toBe('400.00')
  expect(await feeds.rebuild(2)).toBe(0)
})

test('RULINGS 19: acceptPrice is refused where no price is held, where it was accepted, and where a newer one is shown', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await expect(accept(feed, 0)).rejects.toMatchObject(none)
  await feeds.run(feed, at('500.00'), { at: 1 })
  await accept(feed, 2)
  await expect(accept(feed, 3)).rejects.toMatchObject(none)
  await feeds.run(feed, at('10.00'), { at: 4 }) // too far back: held
  await feeds.run(feed, at('490.00'), { at: 5 })
  await expect(accept(feed, 6)).rejects.toMatchObject(none)
  await expect(feeds.callOf('accept_price', '999999999', hour(6))).rejects.toMatchObject(none)
})

test('RULINGS 19: what a failed run held does not count, and does not hide what is held', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await feeds.run(feed, at('500.00'), { at: 1, fail: { code: 'PARSE_FAILED' } })
  await expect(accept(feed, 1)).rejects.toMatchObject(none)
  await feeds.run(feed, at('500.00'), { at: 2 })
  await feeds.run(feed, at('700.00'), { at: 3, fail: { code: 'PARSE_FAILED' } })
  await accept(feed, 4)
  expect(await shown(feed, 4)).toBe('500.00')
})

/** A run that is blocked, because all went, and in which the price of `a` is implausible. */
async function aBlockWithHeldPrice() {
  const feed = await feeds.aFeed()
  await feeds.run(feed, [...at('10.00'), ...products(20)])
  return { feed, blocked: await feeds.run(feed, at('500.00'), { at: 1 }) }
}

test('RULINGS 19: while a run is blocked its held prices wait for the same decision; approval accepts them', async () => {
  const { feed, blocked } = await aBlockWithHeldPrice()
  await expect(accept(feed, 2)).rejects.toMatchObject(none)
  await feeds.approve(blocked.id, 60)
  expect(await feeds.visible(feed, 60)).toMatchObject([{ id: 'a', price: '500.00' }])
  expect((await written(feed)).at(-1)).toBe('500.00 ACCEPTED')
  expect(await feeds.rebuild(60)).toBe(0)
})

test('RULINGS 19: a held price can be accepted while a run that did not see the offer is blocked, and that one’s approval comes after', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, [...at('10.00'), ...products(20)])
  await feeds.run(feed, [...at('500.00'), ...products(20)], { at: 1 })
  const blocked = await feeds.run(feed, products(1), { at: 2 })
  await accept(feed, 3)
  expect(await shown(feed, 3)).toBe('500.00')
  await feeds.approve(blocked.id, 4)
  expect(await feeds.rebuild(4)).toBe(0)
})

test('RULINGS 19: while a run is blocked that saw the price as it was, none can be accepted: approval shows what it saw', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, [...at('10.00'), ...products(20)])
  await feeds.run(feed, [...at('500.00'), ...products(20)], { at: 1 })
  const blocked = await feeds.run(feed, at('10.00'), { at: 2 })
  await expect(accept(feed, 3)).rejects.toMatchObject(none)
  await feeds.approve(blocked.id, 4)
  expect(await shown(feed, 4)).toBe('10.00')
  expect(await feeds.rebuild(4)).toBe(0)
})

test('RULINGS 19: a rejected run says nothing of prices: what is held in the shown one can be accepted again', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, [...at('10.00'), ...products(20)])
  await feeds.run(feed, [...at('500.00'), ...products(20)], { at: 1 })
  const blocked = await feeds.run(feed, at('10.00'), { at: 2 })
  await feeds.reject(blocked.id, 3)
  await accept(feed, 4)
  expect(await shown(feed, 4)).toBe('500.00')
})

test('RULINGS 19: a price is held no longer when a later run shows the old one, though that writes nothing', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, at('10.00'))
  await feeds.run(feed, at('500.00'), { at: 1 })
  const { row } = await feeds.run(feed, at('10.00'), { at: 2 })
  expect(row.counters.pricesWritten).toBe(0)
  await expect(accept(feed, 3)).rejects.toMatchObject(none)
  expect(await shown(feed, 3)).toBe('10.00')
})

test('RULINGS 15, 19: a price stays held while its run is shown again, and when a later one did not see the offer', async () => {
  const feed = await feeds.aFeed({ unchanged_policy: 'REFRESH' })
  await feeds.run(feed, [...at('10.00'), ...products(20)])
  const file = [...at('500.00'), ...products(20)]
  await feeds.run(feed, file, { at: 1 })
  await feeds.run(feed, file, { at: 2, skip: 'UNCHANGED_HASH' })
  await feeds.run(feed, products(20), { at: 3 })
  await accept(feed, 4)
  expect(await shown(feed, 4)).toBe('500.00')
})

test('RULINGS 19: held prices count in the price breaker', async () => {
  const feed = await feeds.aFeed()
  await feeds.run(feed, products(20))
  const { row } = await feeds.run(feed, products(20, { price: '1000.00' }), { at: 1 })
  expect(row).toMatchObject({ is_blocked: true, prices_moved: 20, price_factor: '100.0000' })
})
