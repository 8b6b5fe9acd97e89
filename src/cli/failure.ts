import { CommanderError } from 'commander'
import { loadEnvironment, secretsOf, type Environment } from '../config.ts'
import { variables } from '../config-variables.ts'
import { ExpectedError } from '../expected-error.ts'
import { scrubber } from '../log.ts'
import type { Io } from './context.ts'

export const failed = 1
export const wrongUsage = 2
export const interrupted = 130

type Failure = { code: string; message: string; hint?: string | undefined; problems?: object[]; exitCode: number }

/** Tells what went wrong, without a secret and without a stack, and returns the exit code. */
export function reportFailure(error: unknown, io: Io, json: boolean, command = 'freshet'): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0 // help or version, as asked for
  if (io.signal?.aborted) {
    io.err.write(json ? toLine({ code: 'INTERRUPTED', message: 'Stopped.' }) : 'Stopped.\n')
    return interrupted
  }
  const env = readEnvironment(io)
  const { exitCode, ...failure } = describeFailure(error, command)
  const helpWasShown = error instanceof CommanderError && error.code === 'commander.help'
  const scrub = scrubberOf(env)
  if (json) io.err.write(scrub(toLine(failure)))
  else if (!helpWasShown) io.err.write(scrub(toText(failure) + stackOf(error, env)))
  return exitCode
}

/** What has to be put right before a command can even begin. */
const usageCodes = ['BAD_CONFIGURATION', 'WRONG_USAGE']

function describeFailure(error: unknown, command: string): Failure {
  if (error instanceof CommanderError) {
    const isHelp = error.code === 'commander.help'
    const message = isHelp ? 'A command is missing.' : error.message.replace(/^error: /, '')
    return { code: 'WRONG_USAGE', message, hint: `See "${command} --help".`, exitCode: wrongUsage }
  }
  if (!(error instanceof Error)) return { code: 'INTERNAL_ERROR', message: String(error), exitCode: failed }
  if (error instanceof ExpectedError) {
    const { code, message, hint, problems }: ExpectedError = error
    return { code, message, hint, problems, exitCode: usageCodes.includes(code) ? wrongUsage : failed }
  }
  const portProblem = explainPort(error)
  if (portProblem) return { ...portProblem, exitCode: failed }
  const message = error.name.startsWith('PrismaClient') ? lastLine(error.message) : error.message || error.name
  return { code: 'INTERNAL_ERROR', message, hint: 'LOG_LEVEL=debug shows where it comes from.', exitCode: failed }
}

function explainPort(error: Error & { syscall?: string; code?: string; address?: string; port?: number }) {
  if (error.syscall !== 'listen') return undefined
  const place = `${error.address ?? 'HOST'}:${error.port ?? ''}`
  if (error.code === 'EADDRINUSE') {
    return {
      code: 'PORT_IN_USE',
      message: `${place} is taken by another program.`,
      hint: 'Perhaps it is another Freshet. Set PORT to another port; PORT=0 takes a free one.',
    }
  }
  return {
    code: 'CANNOT_LISTEN',
    message: `${place} cannot be listened on: ${error.message}`,
    hint: 'Correct HOST and PORT.',
  }
}

/** Prisma puts the place in our sources first and what happened last. */
const lastLine = (message: string) => message.trim().split('\n').at(-1) ?? ''

const toLine = ({ code, message, hint, problems }: Omit<Failure, 'exitCode'>) =>
  `${JSON.stringify({ error: { code, message, hint: hint ?? null, problems: problems ?? [] } })}\n`

/** With the code, which is what the documentation can be searched for. */
const toText = ({ code, message, hint }: Omit<Failure, 'exitCode'>) =>
  `error [${code}]: ${message}\n${hint ? `hint: ${hint}\n` : ''}`

function stackOf(error: unknown, env: Environment): string {
  const isWanted = env.LOG_LEVEL === 'debug' || env.LOG_LEVEL === 'trace'
  return isWanted && error instanceof Error && !(error instanceof CommanderError) ? `${error.stack}\n` : ''
}

function readEnvironment({ env, folder }: Io): Environment {
  try {
    return loadEnvironment(folder, env)
  } catch {
    return env // the .env file cannot be read, which may be what is to be told
  }
}

/** Takes the secrets of this environment out of a text. Our own examples are none, though they look like it. */
export function scrubberOf(env: Environment): (text: string) => string {
  const secrets = secretsOf(env)
  const scrub = scrubber(secrets)
  const isMasked = (example: string) =>
    scrub(example) !== example && !secrets.some((secret) => secret.includes(example))
  const examples = Object.values(variables).flatMap(({ example }) => (isMasked(example) ? [example] : []))
  const shown = new RegExp(`(${[...new Set(examples)].map((example) => RegExp.escape(example)).join('|')})`)
  if (examples.length === 0) return scrub
  return (text) =>
    text
      .split(shown)
      .map((part, index) => (index % 2 === 0 ? scrub(part) : part))
      .join('')
}
