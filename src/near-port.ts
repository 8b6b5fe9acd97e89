const lastPort = 65_535
const attempts = 50

/**
 * Opens a server at this port or the next free one. It is opened rather than looked for: a port that was free a moment ago may
 * be taken by the time somebody listens there.
 */
export async function openNear<T>(port: number, open: (port: number) => Promise<T>): Promise<T> {
  const last = Math.min(port + attempts, lastPort)
  for (let next = port; ; next++)
    try {
      return await open(next)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || next >= last) throw error
    }
}
