import {
  hasMoved,
  hourSeconds,
  isActive,
  isFar,
  reasonsToBlock,
  samePrice,
  sameWords,
  usualThresholds,
  type BlockReason,
  type Hold,
  type Row,
  type Terms,
} from './rules.ts'

export type FeedSettings = {
  expiryHours: number
  holdHours: number
  heartbeatHours: number
  blockPolicy: 'HOLD_ALL' | 'HOLD_REMOVALS'
  unchangedPolicy: 'KEEP' | 'REFRESH'
}

/** A file on the network's server: its bytes have a name here, and its rows may be refused or say a product twice. */
export type FeedFile = { content: string; mtime: number; rows: Row[]; rejected: number }

export type Run = {
  number: number
  at: number
  /** The order of runs is that in which they took the lock last (RULINGS 21). */
  place: number
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED'
  content?: string
  skipped?: 'UNCHANGED_MTIME' | 'UNCHANGED_HASH'
  /** What its file says of each product: the last row wins (S2 §7.5). */
  says: Map<string, Row>
  counts: { rowsRead: number; rejected: number; twice: number; products: number; byAddress: number; prices: number }
  /** Products whose price in it is implausible. */
  held: Set<string>
  judged?: { activeBefore: number; seen: number; wouldExpire: number; compared: number; moved: number }
  reasons: BlockReason[]
  /** When it was shown, at its end or by approval. */
  shownAt?: number
  approvedAt?: number
  rejectedAt?: number
  expired?: number
}

export type Price = Terms & { key: string; run?: Run; at: number; reason: string; isHeld: boolean }

/** A product that some run met. What it lacks was never shown. */
export type Offer = {
  knownSince: number
  metBy: Set<Run>
  row?: Row
  rowOf?: Run
  price?: Terms
  pricedAt?: number
  shownAt?: number
  /** The run whose showing that was. */
  shownBy?: Run
}

export type Refusal =
  | 'NOT_BLOCKED'
  | 'RUN_NOT_SUCCEEDED'
  | 'ALREADY_APPROVED'
  | 'ALREADY_REJECTED'
  | 'STALE_RUN'
  | 'IMPACT_CHANGED'

/** What a feed shows, and why: the rules of S2, DESIGN 6 and 9 and RULINGS 12 to 21 in a few lines, for one feed in memory. */
export function aFeedModel(given: FeedSettings) {
  const settings = { ...given }
  const runs: Run[] = []
  const offers = new Map<string, Offer>()
  const holds: Hold[] = []
  let prices: Price[] = []
  let places = 0
  /** What the file looked like that a run processed last (DESIGN 9.11). */
  let last: { content: string; mtime: number; size: number } | undefined
  /** The run whose set is shown. */
  let promoted: Run | undefined

  const active = (now: number): [string, Offer][] =>
    [...offers].filter(
      ([, { shownAt }]) => shownAt !== undefined && isActive(shownAt, now, settings.expiryHours, holds),
    )
  const isProcessed = (run: Run) => run.status === 'SUCCEEDED' && !run.skipped
  const newest = (some: Run[]) => some.toSorted((one, other) => other.place - one.place)[0]
  const lastProcessed = (before = Infinity) => newest(runs.filter((run) => isProcessed(run) && run.place < before))

  /** An attempt begins: whatever the one before wrote is as if it had not been (RULINGS 3). */
  function begin(run: Run | undefined, now: number): Run {
    const fresh = { at: now, place: ++places, says: new Map(), held: new Set<string>(), reasons: [] }
    const counts = { rowsRead: 0, rejected: 0, twice: 0, products: 0, byAddress: 0, prices: 0 }
    if (!run) {
      const begun: Run = { number: runs.length + 1, status: 'RUNNING', ...fresh, counts }
      runs.push(begun)
      return begun
    }
    prices = prices.filter((price) => price.run !== run)
    for (const [key, offer] of offers) if (offer.metBy.delete(run) && offer.metBy.size === 0) offers.delete(key)
    return Object.assign(run, fresh, { counts })
  }

  /** Rows of a file are written down. Nobody sees them yet. */
  function takeIn(run: Run, file: Pick<FeedFile, 'rows' | 'rejected'>, now: number): void {
    const before = lastProcessed(run.place)
    for (const row of file.rows) run.says.set(row.key, row)
    for (const [key, row] of run.says) {
      const offer = offers.get(key) ?? { knownSince: now, metBy: new Set() }
      offer.metBy.add(run)
      offers.set(key, offer)
      const reason = reasonToWrite(offer, row, now)
      // The next processed run that repeats an implausible price is believed (RULINGS 19).
      const isRepeated = before?.held.has(key) === true && samePrice(before.says.get(key)!, row)
      const isHeld = isFar(offer.price, row) && !isRepeated
      if (isHeld) run.held.add(key)
      if (reason) prices.push({ key, run, at: now, reason, isHeld, price: row.price, currency: row.currency })
    }
    run.counts = {
      rowsRead: file.rows.length + file.rejected,
      rejected: file.rejected,
      twice: file.rows.length - run.says.size,
      products: run.says.size,
      byAddress: [...run.says.keys()].filter((key) => key.startsWith('URL_HASH ')).length,
      prices: prices.filter((price) => price.run === run).length,
    }
  }

  /** A price is written down where it is news, or where the last one that is shown is old (S2 §4.2, RULINGS 12). */
  function reasonToWrite({ price, pricedAt = 0 }: Offer, row: Row, now: number): string | undefined {
    if (!price) return 'NEW'
    if (!samePrice(price, row)) return 'CHANGED'
    return pricedAt <= now - settings.heartbeatHours * hourSeconds ? 'HEARTBEAT' : undefined
  }

  /** The run is judged, and shown or blocked (S2 §8.2). */
  function conclude(run: Run, file: FeedFile, now: number): void {
    const before = active(now)
    const seen = before.filter(([key]) => run.says.has(key))
    const wouldExpire = before.length - seen.length
    const moved = seen.filter(([key, { price }]) => hasMoved(price!, run.says.get(key)!)).length
    run.judged = { activeBefore: before.length, seen: seen.length, wouldExpire, compared: seen.length, moved }
    const { rowsRead: rows, rejected, products, byAddress } = run.counts
    run.reasons = reasonsToBlock(
      { rows, rejected, products, byAddress, active: before.length, wouldExpire, compared: seen.length, moved },
      usualThresholds,
    )
    const isBlocked = run.reasons.length > 0
    const isShownInPart = settings.blockPolicy === 'HOLD_REMOVALS' && run.reasons.join() === 'SPIKE_THRESHOLD_EXCEEDED' // RULINGS 14
    if (isBlocked) beginHold(now)
    else {
      endHold(now, true)
      run.expired = wouldExpire
    }
    if (!isBlocked || isShownInPart) show(run, now)
    run.status = 'SUCCEEDED'
    run.content = file.content
    last = { content: file.content, mtime: file.mtime, size: file.rows.length }
  }

  function show(run: Run, now: number): void {
    run.shownAt = now
    promoted = run
    for (const [key, row] of run.says) {
      const offer = offers.get(key)!
      if (!offer.row || !sameWords(offer.row, row)) Object.assign(offer, { row, rowOf: run })
      const written = prices.findLast((price) => price.run === run && price.key === key && !price.isHeld)
      if (written) offer.pricedAt = written.at
      if (!run.held.has(key)) offer.price = { price: row.price, currency: row.currency }
      Object.assign(offer, { shownAt: now, shownBy: run })
    }
  }

  /** A hold begins at the first of an unbroken row of blocked runs; later ones do not renew it (RULINGS 13). */
  function beginHold(now: number): void {
    if (holds.every(({ endedAt }) => endedAt !== undefined))
      holds.push({ from: now, until: now + settings.holdHours * hourSeconds, counts: false })
  }

  function endHold(now: number, counts: boolean): void {
    const hold = holds.find(({ endedAt }) => endedAt === undefined)
    if (hold) Object.assign(hold, { endedAt: Math.min(now, hold.until), counts: counts && now < hold.until })
  }

  /** What the file looks like tells whether it is read at all (S2 §9.5). */
  function unchanged({ content, mtime, rows }: FeedFile): Run['skipped'] {
    if (settings.unchangedPolicy === 'KEEP' && last?.mtime === mtime && last.size === rows.length)
      return 'UNCHANGED_MTIME'
    return last?.content === content ? 'UNCHANGED_HASH' : undefined
  }

  /** A run that found nothing new. Under REFRESH what is shown is confirmed, if it is this very file (RULINGS 15). */
  function skip(run: Run, file: FeedFile, reason: NonNullable<Run['skipped']>, now: number): void {
    Object.assign(run, { status: 'SUCCEEDED', skipped: reason })
    const isConfirmed = reason === 'UNCHANGED_HASH' && promoted?.content === file.content
    if (settings.unchangedPolicy !== 'REFRESH' || !isConfirmed) return
    for (const key of promoted!.says.keys()) Object.assign(offers.get(key)!, { shownAt: now, shownBy: promoted })
  }

  const wouldExpire = (run: Run, now: number) => active(now).filter(([key]) => !run.says.has(key)).length

  /** Why a run cannot be decided about, the first that holds (RULINGS 21). */
  function refusal(run: Run, now: number, expected: number | null): Refusal | null {
    if (run.status !== 'SUCCEEDED') return 'RUN_NOT_SUCCEEDED'
    if (run.reasons.length === 0) return 'NOT_BLOCKED'
    if (run.approvedAt !== undefined) return 'ALREADY_APPROVED'
    if (run.rejectedAt !== undefined) return 'ALREADY_REJECTED'
    if (lastProcessed() !== run) return 'STALE_RUN'
    return expected !== null && expected !== wouldExpire(run, now) ? 'IMPACT_CHANGED' : null
  }

  /** Shows what a blocked run saw, as of now, its held prices too; or lets the removals go, if the rest is shown (S2 §8.7). */
  function approve(run: Run, now: number): void {
    run.expired = wouldExpire(run, now)
    run.approvedAt = now
    endHold(now, true)
    if (run.shownAt !== undefined) return
    for (const key of run.held) {
      const { price, currency } = run.says.get(key)!
      prices.push({ key, run, at: now, reason: 'ACCEPTED', isHeld: false, price, currency })
    }
    run.held.clear()
    show(run, now)
  }

  function reject(run: Run, now: number): void {
    run.rejectedAt = now
    endHold(now, false)
  }

  /** The price of an offer that is held back: the newest run that saw it is shown, and has it. */
  function heldPrice(key: string): Row | undefined {
    const waiting = lastProcessed()
    const isWaiting = waiting && refusal(waiting, 0, null) === null && waiting.shownAt === undefined
    if (isWaiting && waiting.says.has(key)) return undefined // that decision is about this price too
    const { shownBy } = offers.get(key) ?? {}
    return shownBy?.held.has(key) ? shownBy.says.get(key) : undefined
  }

  function accept(key: string, now: number): void {
    const { price, currency } = heldPrice(key)!
    offers.get(key)!.shownBy!.held.delete(key)
    prices.push({ key, at: now, reason: 'ACCEPTED', isHeld: false, price, currency })
    Object.assign(offers.get(key)!, { price: { price, currency }, pricedAt: now })
  }

  return {
    settings,
    runs,
    offers,
    holds,
    begin,
    takeIn,
    conclude,
    unchanged,
    skip,
    fail: (run: Run) => void (run.status = 'FAILED'),
    active,
    wouldExpire,
    refusal,
    approve,
    reject,
    heldPrice,
    accept,
    /** What consumers may know of the prices of an offer, newest first. */
    priceHistory: (key: string): Price[] =>
      prices
        .filter(({ key: of, run, isHeld }) => of === key && !isHeld && (!run || run.shownAt !== undefined))
        .toReversed(),
  }
}

export type FeedModel = ReturnType<typeof aFeedModel>
