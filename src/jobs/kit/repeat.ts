/**
 * Does something now and then again at every beat. A beat that falls due while one is still under way is left out: they
 * must not pile up before a slow database.
 */
export async function repeat(work: () => Promise<void>, everyMs: number): Promise<AsyncDisposable> {
  await work()
  let working: Promise<void> | undefined
  const timer = setInterval(() => (working ??= work().finally(() => (working = undefined))), everyMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await working
    },
  }
}
