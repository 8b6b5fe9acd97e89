import type { FeedForRun } from './feed-for-run.ts'
import type { RemoteStat } from './transport/connection.ts'

type Known = Pick<FeedForRun, 'isForced' | 'unchangedPolicy' | 'lastRemoteMtime' | 'lastRemoteSize' | 'lastContentHash'>

/**
 * Whether what the server says of the file is reason enough not to read it (S2 §9.5): time and size, both known then and now, are
 * the same. A feed that shows its set again when nothing changed must know for sure (RULINGS 15), so it always reads.
 */
export const looksUnchanged = (feed: Known, { mtime, size }: RemoteStat): boolean =>
  !feed.isForced &&
  feed.unchangedPolicy === 'KEEP' &&
  mtime !== undefined &&
  size !== undefined &&
  mtime.getTime() === feed.lastRemoteMtime?.getTime() &&
  size === feed.lastRemoteSize

/** Whether the file is, byte by byte, the one that was processed last. */
export const isUnchanged = (feed: Known, sha256: Buffer): boolean =>
  !feed.isForced && feed.lastContentHash !== null && sha256.equals(feed.lastContentHash)
