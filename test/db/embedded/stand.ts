import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { findPostmaster, isPostmaster } from '../../../src/db/embedded/postmaster.ts'
import { openEmbedded } from '../../../src/db/embedded/server.ts'
import { until } from '../../support/until.ts'

export const isRoot = process.getuid?.() === 0
export const fast = { settings: { fsync: 'off' } }

/** Data directories for the tests of one file, open to every user; what still runs in them in the end is stopped. */
export type Stand = AsyncDisposable & {
  /** A path where nothing is yet. */
  empty(): string
  /** The one directory whose server was made before, at rest, with `kept(1)` in `freshet`: to make it takes a second. */
  ready(): Promise<string>
}

/** Makes the folder for the directories. */
export async function aStand(): Promise<Stand> {
  const root = await mkdtemp(join(tmpdir(), 'freshet-embedded-'))
  await chmod(root, 0o755)
  let made = 0
  const empty = () => join(root, `data-${++made}`)
  const ready = empty()
  const home = join(ready, 'postgres')
  let password: string | undefined
  return {
    empty,
    async ready() {
      if (password === undefined) {
        await using server = await openEmbedded(ready, fast)
        await query(server.url('freshet'), 'create table kept as select 1 as value')
        password = await readFile(join(home, 'password'), 'utf8')
      }
      await endServer(join(home, 'data'))
      await writeFile(join(home, 'password'), password)
      await rm(join(home, 'postgres.log'), { force: true })
      return ready
    },
    async [Symbol.asyncDispose]() {
      for await (const file of glob(join(root, '**/postmaster.pid'))) await endServer(dirname(file))
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Ends the server of a PGDATA at once, if one runs. */
export async function endServer(dataDir: string, signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
  const running = await findPostmaster(dataDir)
  if (!running || !(await isPostmaster(running.pid, dataDir))) return
  process.kill(running.pid, signal)
  await until('the server is gone', async () => !(await isPostmaster(running.pid, dataDir)))
}

/** One statement on a connection of its own. */
export async function query<Row>(connectionString: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows as Row[]
  } finally {
    await client.end()
  }
}

/** How often the server of a directory was told to stop. */
export async function countStops(dir: string): Promise<number> {
  const log = await readFile(join(dir, 'postgres', 'postgres.log'), 'utf8')
  return log.split('received fast shutdown request').length - 1
}

/** Another process that has opened the server. */
export type Opener = AsyncDisposable & {
  readonly attached: boolean
  readonly port: number
  /** Lets it leave by itself. */
  leave(): Promise<void>
  /** Sends a signal to its whole process group, as a terminal does, and waits for its end. */
  signal(signal: NodeJS.Signals): Promise<void>
}

/** Opens a directory in another process. */
export async function openElsewhere(dir: string): Promise<Opener> {
  const script = join(import.meta.dirname, 'opener.ts')
  const child = spawn(process.execPath, [script, dir], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const end = async (act: () => void) => {
    if (child.exitCode === null && child.signalCode === null) act()
    await exit
  }
  const first = await Promise.race([once(createInterface(child.stdout), 'line'), exit.then(() => undefined)])
  if (first === undefined) throw new Error(`The opener ended with ${child.exitCode ?? child.signalCode}`)
  const { attached, port } = JSON.parse(String(first[0])) as { attached: boolean; port: number }
  const signal = (name: NodeJS.Signals) => end(() => process.kill(-(child.pid ?? 0), name))
  return {
    attached,
    port,
    signal,
    leave: () => end(() => child.stdin.end()),
    [Symbol.asyncDispose]: () => signal('SIGKILL'),
  }
}

/** A folder with programs that stand in for those of Postgres, each a shell script. */
export async function standIns(folder: string, scripts: Record<string, string>, mode = 0o755): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), mode)
  }
  return folder
}
