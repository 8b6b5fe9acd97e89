import { inOrder } from '../domain/read-many.ts'
import { inBatches } from './batch.ts'
import { builder, type Context } from './builder.ts'
import { BlockReason, SkippedReason } from './feed-enum.ts'
import { Feed } from './feed-type.ts'
import { FeedRun } from './run-type.ts'

/** What the runs of feeds have beside what all runs have, read together; nothing for one that never took its place. */
const loadRow = inBatches(async (ids: readonly bigint[], { db }) => {
  const rows = await db.feedRun.findMany({ where: { runId: { in: [...new Set(ids)] } }, include: { feed: true } })
  return inOrder(ids, rows, ({ runId }) => runId).map((row) => row ?? null)
})

type Row = NonNullable<Awaited<ReturnType<typeof loadRow>>>

/** How a field is read from that row, and what it is without one. */
const fromRow = <Value, None>(read: (row: Row) => Value, none: None) => ({
  select: { id: true } as const,
  resolve: async ({ id }: { id: bigint }, _args: unknown, context: Context): Promise<Value | None> => {
    const row = await loadRow(id, context)
    return row ? read(row) : none
  },
})

/** What a run counts, by the names of S2 §2.1. */
const metrics = {
  downloadBytes: 'Bytes downloaded.',
  rowsRead: 'Rows that the file has, but for its header.',
  rowsParsed: 'Rows that were read as such.',
  productsUpserted: 'Offers that were seen: created, changed or as before.',
  productsRejected: 'Rows that were refused; `errors` says why.',
  pricesWritten: 'Prices that were written down.',
  duplicateKeyCount: 'Rows that named an offer once more; the last one counts.',
  urlHashFallbackCount: 'Offers that are known by the hash of their address alone.',
}

const countOf = (counters: unknown, name: string): number | null => {
  const value = (counters as Record<string, unknown> | null)?.[name]
  return typeof value === 'number' ? value : null
}

builder.prismaObjectFields(FeedRun, (t) => {
  const metric = (name: keyof typeof metrics) =>
    t.float({
      nullable: true,
      description: `${metrics[name]} Null: it did not come to that.`,
      select: { counters: true },
      resolve: ({ counters }) => countOf(counters, name),
    })
  return {
    feed: t.field({
      type: Feed,
      nullable: true,
      description: 'The feed; null for a test of settings that nobody stored.',
      ...fromRow((row) => row.feed, null),
    }),
    downloadBytes: metric('downloadBytes'),
    rowsRead: metric('rowsRead'),
    rowsParsed: metric('rowsParsed'),
    productsUpserted: metric('productsUpserted'),
    productsRejected: metric('productsRejected'),
    pricesWritten: metric('pricesWritten'),
    duplicateKeyCount: metric('duplicateKeyCount'),
    urlHashFallbackCount: metric('urlHashFallbackCount'),
    productsExpired: t.int({
      nullable: true,
      description:
        'How many offers that were active it did not see, and so left to age, because it was shown; null: it was not.',
      ...fromRow((row) => row.productsExpired, null),
    }),
    activeCountBefore: t.int({
      nullable: true,
      description: 'How many offers were active when it was judged; null: it was not.',
      ...fromRow((row) => row.activeCountBefore, null),
    }),
    seenSuccessCount: t.int({
      nullable: true,
      description: 'How many of them it saw.',
      ...fromRow((row) => row.seenSuccessCount, null),
    }),
    wouldExpireCount: t.int({
      nullable: true,
      description: 'How many of them would have expired when it was judged. `impact` says how many would now.',
      ...fromRow((row) => row.wouldExpireCount, null),
    }),
    evaluatedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was judged.',
      ...fromRow((row) => row.evaluatedAt, null),
    }),
    pricesCompared: t.int({
      nullable: true,
      description: 'How many offers had a price before and have one now.',
      ...fromRow((row) => row.pricesCompared, null),
    }),
    pricesMoved: t.int({
      nullable: true,
      description: 'How many of these prices moved by more than a factor of two, or changed their currency.',
      ...fromRow((row) => row.pricesMoved, null),
    }),
    priceFactor: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The median factor of those that moved; 100 or 0.01 is most likely an error of the unit.',
      ...fromRow((row) => row.priceFactor?.toFixed() ?? null, null),
    }),
    isForced: t.boolean({
      description: 'Whether it was to process its file although that did not change.',
      ...fromRow((row) => row.isForced, false),
    }),
    isPartial: t.boolean({
      description: 'Whether something went wrong in it while offers were taken in.',
      ...fromRow((row) => row.isPartial, false),
    }),
    expiryStepFailed: t.boolean({
      description: 'Whether it failed after its file was taken in.',
      ...fromRow((row) => row.expiryStepFailed, false),
    }),
    skippedReason: t.field({
      type: SkippedReason,
      nullable: true,
      description: 'Why it did not process its file; null: it did, or failed.',
      ...fromRow((row) => row.skippedReason, null),
    }),
    expiryBlocked: t.boolean({
      description: 'Whether it was blocked. That stays, whatever was decided since.',
      ...fromRow((row) => row.isBlocked, false),
    }),
    expiryBlockedReason: t.field({
      type: BlockReason,
      nullable: true,
      description: 'The first reason why it was blocked.',
      ...fromRow((row) => row.blockReasons[0] ?? null, null),
    }),
    blockReasons: t.field({
      type: [BlockReason],
      description: 'Every reason why it was blocked, at most 5.',
      ...fromRow((row) => row.blockReasons, []),
    }),
    expiryApprovedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When an operator approved it.',
      ...fromRow((row) => row.approvedAt, null),
    }),
    expiryApprovedBy: t.string({
      nullable: true,
      description: 'Who approved it.',
      ...fromRow((row) => row.approvedBy, null),
    }),
    rejectedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When an operator rejected it.',
      ...fromRow((row) => row.rejectedAt, null),
    }),
    rejectedBy: t.string({
      nullable: true,
      description: 'Who rejected it.',
      ...fromRow((row) => row.rejectedBy, null),
    }),
    rejectedReason: t.string({
      nullable: true,
      description: 'Why.',
      ...fromRow((row) => row.rejectedReason, null),
    }),
    remoteMtime: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the file was last changed, as its server says.',
      ...fromRow((row) => row.remoteMtime, null),
    }),
    remoteSize: t.float({
      nullable: true,
      description: 'The size of the file, as its server says.',
      ...fromRow((row) => toNumber(row.remoteSize), null),
    }),
    contentHash: t.string({
      nullable: true,
      description: 'The SHA-256 of what was downloaded, in hexadecimal.',
      ...fromRow((row) => toHex(row.contentHash), null),
    }),
    found: t.field({
      type: 'JSON',
      description: 'What was found out about the file: its packing, encoding, delimiter, columns.',
      ...fromRow((row) => row.found, {}),
    }),
    warnings: t.field({
      type: 'JSON',
      description: 'What should be known of it and is no error: a list of objects with `code` and `message`.',
      ...fromRow((row) => row.warnings, []),
    }),
    testResult: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Of a test: whether it succeeded, the rows and the format that were found, the columns, the first rows as offers, errors and warnings.',
      ...fromRow((row) => row.testResult, null),
    }),
  }
})

const toNumber = (value: bigint | null) => (value === null ? null : Number(value))
const toHex = (value: Uint8Array | null) => (value ? Buffer.from(value).toString('hex') : null)
