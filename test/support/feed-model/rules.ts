/**
 * The rules that the model asks, one a function, without any state. Times are seconds, prices are cents.
 */

/** What a row of a file says of a product. */
export type Row = {
  key: string
  title: string
  url: string
  price: number
  currency: string
  original: number | null
  inStock: boolean
}

export type Terms = Pick<Row, 'price' | 'currency'>

/** A block stops the clock of what is shown, from its moment to its decision or to the end of its hold hours. */
export type Hold = {
  from: number
  until: number
  /** When a decision or a good run ended it. */
  endedAt?: number
  /** The held time counts as time after all. */
  counts: boolean
}

export const hourSeconds = 3_600

/** How long the clock ran between two moments: held time that does not count is no time (RULINGS 13). */
export function timeBetween(from: number, to: number, holds: readonly Hold[]): number {
  const stood = holds
    .filter((hold) => !hold.counts)
    .map((hold) => Math.min(hold.endedAt ?? hold.until, hold.until, to) - Math.max(hold.from, from))
  return to - from - stood.filter((seconds) => seconds > 0).reduce((sum, seconds) => sum + seconds, 0)
}

/** An offer is active for its expiry hours after it was shown last, to the second (S2 §8.1). */
export const isActive = (shownAt: number, now: number, expiryHours: number, holds: readonly Hold[]): boolean =>
  timeBetween(shownAt, now, holds) <= expiryHours * hourSeconds

/** More than ten times over or under the price that is shown, in the same currency (RULINGS 19). */
export const isFar = (shown: Terms | undefined, said: Terms): boolean =>
  shown !== undefined &&
  shown.currency === said.currency &&
  (said.price > shown.price * 10 || said.price * 10 < shown.price)

/** More than a factor of two either way, or another currency (DESIGN 9.22). */
export const hasMoved = (shown: Terms, said: Terms): boolean =>
  shown.currency !== said.currency || said.price > shown.price * 2 || said.price * 2 < shown.price

export const samePrice = (one: Terms, other: Terms): boolean =>
  one.price === other.price && one.currency === other.currency

/** Whether two rows say the same but for the price. */
export const sameWords = (one: Row, other: Row): boolean =>
  one.title === other.title && one.url === other.url && one.original === other.original && one.inStock === other.inStock

export type BlockReason =
  | 'DATA_QUALITY_NO_USABLE_ROWS'
  | 'DATA_QUALITY_REJECTED_ROWS'
  | 'DATA_QUALITY_URL_HASH_SPIKE'
  | 'PRICE_SPIKE_THRESHOLD_EXCEEDED'
  | 'SPIKE_THRESHOLD_EXCEEDED'

export type Counted = {
  rows: number
  rejected: number
  products: number
  /** Products that are known by their address alone. */
  byAddress: number
  active: number
  wouldExpire: number
  compared: number
  moved: number
}

export type Thresholds = {
  rejectedPercent: number
  addressPercent: number
  addressMostCount: number
  movePercent: number
  expirePercent: number
  expireLeastCount: number
  expireMostCount: number
}

/** S2 §8.8, §3.3.2, issue 5 §2, DESIGN 9.22. */
export const usualThresholds: Thresholds = {
  rejectedPercent: 50,
  addressPercent: 50,
  addressMostCount: 1_000,
  movePercent: 30,
  expirePercent: 30,
  expireLeastCount: 10,
  expireMostCount: 500,
}

/** Why a run is not shown, in the order of RULINGS 14; empty if it is. */
export function reasonsToBlock(run: Counted, limits: Thresholds): BlockReason[] {
  const isOver = (part: number, whole: number, percent: number) => part * 100 > whole * percent
  const { rows, rejected, products, byAddress, active, wouldExpire, compared, moved } = run
  const judged: [BlockReason, boolean][] = [
    ['DATA_QUALITY_NO_USABLE_ROWS', products === 0 && active > 0],
    ['DATA_QUALITY_REJECTED_ROWS', rows >= 20 && isOver(rejected, rows, limits.rejectedPercent)],
    [
      'DATA_QUALITY_URL_HASH_SPIKE',
      isOver(byAddress, products, limits.addressPercent) || byAddress > limits.addressMostCount,
    ],
    ['PRICE_SPIKE_THRESHOLD_EXCEEDED', compared >= 20 && isOver(moved, compared, limits.movePercent)],
    [
      'SPIKE_THRESHOLD_EXCEEDED',
      active > 0 &&
        ((isOver(wouldExpire, active, limits.expirePercent) && wouldExpire >= limits.expireLeastCount) ||
          wouldExpire >= limits.expireMostCount),
    ],
  ]
  return judged.filter(([, holds]) => holds).map(([reason]) => reason)
}
