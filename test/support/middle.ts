import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a client and Postgres, and can go wrong in ways that Postgres does not. */
export async function startMiddle(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  const open = new Set<Socket>()
  let isDeaf = false
  const server = createServer((near) => {
    open.add(near)
    near.on('error', () => {})
    near.on('close', () => open.delete(near))
    if (isDeaf) {
      near.resume()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    pairs.add([near, far])
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  url.hostname = '127.0.0.1'
  return {
    url: url.href,
    open: () => open.size,
    /** Breaks what is open; what comes from now on is taken and never answered. */
    answerNoMore() {
      isDeaf = true
      for (const near of open) near.destroy()
    },
    /** Keeps what is open and passes nothing on; new connections pass. */
    fallSilent() {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.resume()
        far.resume()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...[...pairs].flat(), ...open]) socket.destroy()
      server.close()
    },
  }
}
