import { setTimeout as wait } from 'node:timers/promises'
import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKey } from '../../domain/access/key.ts'
import { catalog, catalogRows } from './catalog.ts'
import { openNear } from '../../near-port.ts'
import { keepKey, readKey } from './folder.ts'
import { makeHostKey, startSftpServer, type SftpServerOptions } from './sftp-server.ts'

const host = '127.0.0.1'
const firstPort = 2222
const slowStepMs = 250

/** Where the demo's files lie on its server: one that comes at once, and one that takes its time, to be watched. */
export const feedPaths = { quick: '/feeds/meadow-outdoor.csv', slow: '/feeds/kitchen-corner.csv' }

export type FeedServer = AsyncDisposable & {
  place: { host: string; port: number; username: string; password: string }
  /** Where its password is kept, and the first file that it serves. */
  kept: { passwordFile: string; catalogFile: string }
  /** Puts a new version of the first file down, as a network does at night. */
  publish: (rows: number) => Promise<void>
}

/** The network that the demo fetches from: a real SSH server on loopback, with the same host key and password at each start. */
export async function startFeedServer(dir: string): Promise<FeedServer> {
  const passwordFile = join(dir, 'demo-sftp-password')
  const [username, password] = ['meadow', await kept(passwordFile, makeKey)]
  const hostKey = await kept(join(dir, 'demo-sftp-host-key'), makeHostKey)
  const path = join(dir, 'demo-catalog.csv')
  const publish = async (rows: number) => {
    await writeFile(path, catalog(rows))
    // By the number of its rows: SFTP knows whole seconds only, and two versions may be written within one.
    const time = new Date(Date.UTC(2026, 0, 1) + (catalogRows - rows) * 1_000)
    await utimes(path, time, time)
  }
  if (!(await stat(path).catch(() => undefined))) await publish(catalogRows)
  const slowBytes = Buffer.from(catalog(catalogRows))
  const options: SftpServerOptions = {
    users: { [username]: { password } },
    files: new Map([
      [feedPaths.quick, { path }],
      [feedPaths.slow, { bytes: slowBytes, mtime: new Date(Date.UTC(2026, 0, 1)) }],
    ]),
    hostKey,
    behaviour: {
      async read(bytes, { path: asked }) {
        if (asked === feedPaths.slow) await wait(slowStepMs)
        return bytes
      },
    },
  }
  // The same port at each start, as a rule, so that the feeds need not be moved.
  const portFile = join(dir, 'demo-sftp-port')
  const lastPort = Number(await readKey(portFile)) || firstPort
  const server = await openNear(lastPort, (port) => startSftpServer({ ...options, port }))
  await keepKey(portFile, String(server.port))
  const place = { host, port: server.port, username, password }
  const files = { passwordFile, catalogFile: path }
  return { place, kept: files, publish, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A secret of the demo's folder, made at its first start. */
async function kept(file: string, make: () => string): Promise<string> {
  const before = await readKey(file)
  if (before !== undefined) return before
  const made = make().trim()
  await keepKey(file, made)
  return made
}
