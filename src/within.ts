/**
 * What `work` answers, or what `onLate` does where the time is over first. Late work is not stopped, and whatever comes of it
 * is not heard: `onLate` may tell it, and may throw.
 */
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  onLate: () => Late,
): Promise<Result | Late> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    return await Promise.race([work, over.then(onLate)])
  } finally {
    clearTimeout(timer)
  }
}
