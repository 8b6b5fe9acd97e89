import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { codeOf, ignore } from './error.ts'

/** Where an embedded server listens, always. */
export const loopback = '127.0.0.1'

/** The remembered port if nobody else has it now, else one that is free. */
export async function choosePort(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(ignore('ENOENT'))
  const remembered = Number(text)
  if (Number.isInteger(remembered) && remembered > 0 && remembered < 65_536) {
    const port = await listenOnce(remembered)
    if (port !== undefined) return port
  }
  return await freePort()
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('No free port on the loopback address')
  return port
}

/** Keeps the port for the next start; a reader never sees half a number. */
export async function rememberPort(file: string, port: number): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`
  await writeFile(draft, `${port}\n`)
  await rename(draft, file)
}

async function listenOnce(port: number): Promise<number | undefined> {
  await using server = createServer()
  try {
    server.listen(port, loopback)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}
