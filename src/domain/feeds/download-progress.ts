import type { RunContext } from '../runs/context.ts'

type Bytes = { bytes: number; total: number | undefined }

const everyMs = 500

/**
 * Tells a run how far its download is, twice a second at most and one after the other, as its connection takes one statement at a
 * time. Disposing of it tells the rest.
 */
export function downloadProgress(run: RunContext): AsyncDisposable & { tell: (bytes: Bytes) => void } {
  let told = 0
  let toldTotal = 0
  let last: Bytes = { bytes: 0, total: undefined }
  let telling: Promise<void> | undefined
  let at = 0

  const send = async (): Promise<void> => {
    const { bytes, total = 0 } = last
    const counters = { downloadBytes: bytes - told, ...(total > toldTotal && { downloadTotal: total - toldTotal }) }
    told = bytes
    toldTotal = Math.max(total, toldTotal)
    // Where the connection is lost, the run ends by that; a download that restarts begins to count anew.
    await run.progress(counters).catch(() => {})
  }
  return {
    tell(bytes) {
      last = bytes
      if (telling || performance.now() - at < everyMs) return
      at = performance.now()
      telling = send().finally(() => (telling = undefined))
    },
    async [Symbol.asyncDispose]() {
      await telling
      if (last.bytes !== told) await send()
    },
  }
}
