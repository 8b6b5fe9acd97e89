import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { ignore } from './error.ts'

/** Where an embedded server listens, always. */
export const loopback = '127.0.0.1'

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  await using server = createServer().listen(0, loopback)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The port of the last start, which somebody else may have taken since. */
export async function rememberedPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(ignore('ENOENT')))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** Keeps the port for the next start; a reader never sees half a number. */
export async function rememberPort(file: string, port: number): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`
  await writeFile(draft, `${port}\n`)
  await rename(draft, file)
}
