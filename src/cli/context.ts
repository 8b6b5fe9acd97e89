import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Config, Environment } from '../config.ts'
import { withImplied, type Actor } from '../domain/access/actor.ts'

export type Output = NodeJS.WritableStream & { isTTY?: boolean }

/** What the command is given by whoever runs it. `folder` is where `.env` is looked for. */
export type Io = {
  env: Environment
  out: Output
  err: Output
  folder?: string
  /** Aborted when the user wants to stop. */
  signal?: AbortSignal
  now?: () => Date
}

/** What a command works with. `given` is the process's own environment, `env` is that over the `.env` file. */
export type Context = Required<Io> & { given: Environment; json: boolean }

/** Turns what a command does into an action; a number that it returns is the exit code. */
export type Run = <Args extends unknown[]>(
  work: (context: Context, ...args: Args) => Promise<number | void>,
) => (...args: Args) => Promise<void>

/** Reads the environment and fills in what was not given. */
export async function openContext(io: Io, json: boolean): Promise<Context> {
  const { loadEnvironment } = await import('../config.ts')
  const { folder = process.cwd(), signal = new AbortController().signal, now = () => new Date() } = io
  return { ...io, folder, signal, now, json, given: io.env, env: loadEnvironment(folder, io.env) }
}

/** The settings of a command that is not the server; what is odd about them is told on the way. */
export async function readSettings({ env, err, json }: Context): Promise<Config> {
  const { readConfig } = await import('../config.ts')
  const { config, warnings } = readConfig(env, { forServer: false })
  if (!json) for (const warning of warnings) err.write(`warning: ${warning}\n`)
  return config
}

/** The person at the command line, as the audit log names him. Whoever reaches the database may do everything. */
export function commandActor(): Actor {
  return {
    keyId: null,
    name: `cli (${userName()})`,
    scopes: withImplied(['ADMIN']),
    requestId: randomUUID(),
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // a container may run as a user that has no name
  }
}
