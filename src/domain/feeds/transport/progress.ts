import type { Log } from '../../../log.ts'

/** Tells the log of each tenth of a file whose size is known, once (S2 §17.4). */
export function tellProgress(log: Log, from: number, total: number | undefined): (bytes: number) => void {
  const tenthOf = (bytes: number) => (total ? Math.floor((bytes / total) * 10) : 0)
  let told = tenthOf(from)
  return (bytesDownloaded) => {
    const tenth = tenthOf(bytesDownloaded)
    if (tenth <= told) return
    told = tenth
    const percentComplete = tenth * 10
    log.debug({ event: 'DOWNLOAD_PROGRESS', bytesDownloaded, totalBytes: total, percentComplete }, 'downloading')
  }
}

const beginnings: [number[], string][] = [
  [[0x1f, 0x8b], 'gzip'],
  [[0x50, 0x4b, 3, 4], 'zip'],
]

/** How a file is packed, by its first bytes. */
export const compressionOf = (first: Uint8Array): string =>
  beginnings.find(([magic]) => magic.every((byte, at) => first[at] === byte))?.[1] ?? 'none'
