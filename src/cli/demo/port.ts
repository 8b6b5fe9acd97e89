import { once } from 'node:events'
import { createServer } from 'node:net'

const attempts = 50

/** The port asked for or, where it is taken, the next free one. */
export async function findFreePort(host: string, port: number): Promise<number> {
  if (port === 0) return 0 // any
  const last = Math.min(port + attempts, 65_535)
  for (let next = port; next <= last; next++) if (await isFree(host, next)) return next
  return 0
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}
