import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCli } from '../../src/cli.ts'
import type { Io } from '../../src/cli/context.ts'

export const projectDir = join(import.meta.dirname, '../..')
export const bin = join(projectDir, 'bin/freshet.js')
export const credentialKey = Buffer.alloc(32, 7).toString('base64')

/** What a command said and how it ended. */
export type Outcome = { code: number; out: string; err: string }
type Options = Partial<Omit<Io, 'out' | 'err'>> & { onOut?: (all: string) => void; isTty?: boolean }

/** Runs the command in this process. Its environment is only what is given here. */
export async function run(argv: string[], { env = {}, onOut, isTty = false, ...io }: Options = {}): Promise<Outcome> {
  const out = collect(onOut)
  const err = collect()
  const shown = Object.assign(out.stream, { isTTY: isTty })
  const code = await runCli(argv, { env, folder: import.meta.dirname, ...io, out: shown, err: err.stream })
  return { code, out: out.text(), err: err.text() }
}

/** Runs the command with `--json` and reads its answer, or the error it told. */
export async function runJson(argv: string[], options: Options = {}) {
  const { code, out, err } = await run([...argv, '--json'], options)
  return { code, answer: out ? JSON.parse(out) : undefined, error: err ? JSON.parse(err).error : undefined }
}

function collect(onText: (all: string) => void = () => {}) {
  let all = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      all += String(chunk)
      onText(all)
      done()
    },
  })
  return { stream, text: () => all }
}

/** The program itself, in a process of its own, on the Node that a user would have. */
export function start(argv: string[], env: Record<string, string> = {}) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const node = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath
  const child = spawn(node, [bin, ...argv], {
    cwd: import.meta.dirname,
    env: { PATH: path.join(delimiter), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, as a terminal gives it
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const ended = once(child, 'close').then((): Outcome => {
    // Ended by a signal it has no code: then the one that a shell would tell.
    const { exitCode, signalCode } = child
    return { code: exitCode ?? 128 + (signalCode ? constants.signals[signalCode] : 0), out, err }
  })
  return {
    ended,
    /** Waits until something was said. */
    async said(text: string, withinMs = 15_000) {
      const deadline = performance.now() + withinMs
      while (!(out + err).includes(text)) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`It did not say "${text}": ${out}${err}`)
        await sleep(10)
      }
    },
    /** Where it answers, as it said with --json. */
    address: () => /"url":"([^"]+)"/.exec(out)?.[1] ?? '',
    /** What the server said of itself when it was ready; asked for with `--json`. */
    async ready(): Promise<{ url: string }> {
      await this.said('"ready"', 60_000) // a first start makes a whole cluster
      const line = out.split('\n').find((text) => text.includes('"ready"')) ?? ''
      return (JSON.parse(line) as { ready: { url: string } }).ready
    },
    /** Ctrl-C: a terminal sends it to all processes of the group. */
    async interrupt(): Promise<Outcome> {
      process.kill(-(child.pid ?? 0), 'SIGINT')
      return ended
    },
    /** A terminal that is closed tells all processes of the group. */
    async hangUp(): Promise<Outcome> {
      process.kill(-(child.pid ?? 0), 'SIGHUP')
      return ended
    },
    /** What a supervisor does: it knows only the process that it started. */
    async terminate(): Promise<Outcome> {
      child.kill('SIGTERM')
      return ended
    },
    /** Sudden death, of whatever it started, too. */
    kill: () => process.kill(-(child.pid ?? 0), 'SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
    },
  }
}

/** A folder of one's own that every user may enter, with some files in it. */
export async function aFolder(files: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-cli-'))
  await chmod(dir, 0o755)
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}
