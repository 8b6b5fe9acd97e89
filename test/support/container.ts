import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'

const pingMs = 1_000
const pullMs = 60_000
const startMs = 60_000

/** A running Postgres, or why there is none. */
export type Container = (AsyncDisposable & { url: string }) | { reason: string }

/** Postgres in a container when a Docker engine answers and has, or soon gets, the image; otherwise the reason why not. */
export async function startContainer(image: string, flags: string[]): Promise<Container> {
  const engine = findEngine()
  if (!engine) return { reason: 'no Docker engine' }
  try {
    await ask(engine, 'GET', '/_ping', pingMs)
    const hasImage = await ask(engine, 'GET', `/images/${image}/json`, pingMs).catch(() => false)
    if (!hasImage) await ask(engine, 'POST', `/images/create?fromImage=${encodeURIComponent(image)}`, pullMs)
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
    const container = await new PostgreSqlContainer(image)
      .withCommand(['postgres', ...flags])
      .withStartupTimeout(startMs)
      .start()
    return { url: container.getConnectionUri(), [Symbol.asyncDispose]: async () => void (await container.stop()) }
  } catch (error) {
    return {
      reason: `the Docker engine gave no ${image}: ${String(error).split('\n')[0]}`,
    }
  }
}

type Engine = { socketPath: string } | { host: string; port: number }

function findEngine(): Engine | undefined {
  const address = process.env.DOCKER_HOST
  if (address?.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) }
  if (address?.startsWith('tcp://')) return { host: new URL(address).hostname, port: Number(new URL(address).port) }
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')]
  const socketPath = sockets.find((path) => existsSync(path))
  return socketPath ? { socketPath } : undefined
}

/** Sends one request to the engine and waits for the end of the answer: a pull lasts as long as its answer does. */
async function ask(engine: Engine, method: string, path: string, timeoutMs: number): Promise<true> {
  const sent = request({ ...engine, method, path, signal: AbortSignal.timeout(timeoutMs) }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response) body = (body + String(chunk)).slice(-2_000)
  const error = /"(?:error|message)":("(?:[^"\\]|\\.)*")/.exec(body)?.[1]
  if (response.statusCode !== 200 || error) throw new Error(error ?? `it answered ${response.statusCode}`)
  return true
}
