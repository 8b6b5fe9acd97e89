#!/usr/bin/env node
// Runs on any Node from 20 on: finds the Node 24 that was installed with the project, which runs the sources as they are.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const ownNode = `${root}node_modules/.bin/node`
const major = Number(process.versions.node.split('.')[0])

if (major >= 24) {
  const { generatePrisma } = await import('../tools/generate-prisma.ts')
  generatePrisma()
  const { runCli } = await import('../src/cli.ts')
  const stop = new AbortController()
  // The first signal asks for an orderly stop. The handlers are gone then: a second one ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(signal))
  // A terminal that is closed may say so after Ctrl-C, and more than once: that is no wish to end at once, which would leave Postgres.
  process.on('SIGHUP', () => stop.abort('SIGHUP'))
  // Started by an older Node, which may be killed: without it nobody would know of this process, nor of the port that it holds.
  process.once('disconnect', () => stop.abort('SIGTERM'))
  process.channel?.unref()
  process.stdout.on('error', () => stop.abort('the output was closed')) // as `| head` does
  process.stderr.on('error', () => stop.abort('the output was closed'))
  const io = { env: process.env, out: process.stdout, err: process.stderr, signal: stop.signal }
  process.exitCode = await runCli(process.argv.slice(2), io)
  // A statement that was left behind would keep the process; the database undoes it when its connection ends.
  if (stop.signal.aborted) process.exit()
} else if (existsSync(ownNode)) {
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // A terminal sends Ctrl-C to both; other signals come to this process alone.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  child.on('exit', (code, signal) => (process.exitCode = code ?? (signal ? 1 : 0)))
} else {
  console.error(`Freshet needs Node 24; this is ${process.version}, and no Node 24 was installed with the project.`)
  console.error('Run "npm ci" without --omit=optional, or install Node 24.')
  process.exitCode = 1
}
