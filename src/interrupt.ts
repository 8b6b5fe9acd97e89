/**
 * Waits for work, but no longer than until somebody wants to stop; what is left undone ends with the process. `graceMs` is for work
 * that hears of the stop by itself: the time it has to put away what it began.
 */
export async function unlessStopped<Result>(signal: AbortSignal, work: Promise<Result>, graceMs = 0): Promise<Result> {
  const stopped = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const giveUp = () => stopped.reject(signal.reason)
  const stop = () => {
    if (graceMs > 0) timer = setTimeout(giveUp, graceMs)
    else giveUp()
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
