import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import { pino, type Logger } from 'pino'
import pretty from 'pino-pretty'
import { keysInText } from './key-form.ts'

export type Log = Logger

/** What every log line of the present request or job carries, set once at its door, and what none may hold. */
type AtWork = { fields: Record<string, unknown>; secrets: Set<string> }
const atWork = new AsyncLocalStorage<AtWork>()

/** Runs `work` so that each line logged inside it, however deep, carries these fields too. */
export function withLogFields<Result>(more: Record<string, unknown>, work: () => Result): Result {
  const outer = atWork.getStore()
  const secrets = outer?.secrets ?? new Set() // shared: an error that quotes one is often told further out
  return atWork.run({ fields: { ...outer?.fields, ...more }, secrets }, work)
}

/** Lets each line from now on, inside the innermost `withLogFields`, carry these too: what it is about is often known late. */
export function addLogFields(more: Record<string, unknown>): void {
  Object.assign(atWork.getStore()?.fields ?? {}, more)
}

/** A shorter one is a part of too many words: what is left between the stars would tell it. */
const shortestSecret = 4

/**
 * Takes these out of all that the request or job at work logs or keeps from now on, for what is known to nobody before: call it
 * with a decrypted credential before that is used, for libraries quote what they are given. One of less than four characters
 * is left.
 */
export function addSecrets(...more: string[]): void {
  const secrets = atWork.getStore()?.secrets
  if (!secrets) throw new Error('No request or job is at work whose secret this could be: see withLogFields.')
  for (const secret of more) if (secret.length >= shortestSecret) secrets.add(secret)
}

/** The id of the request or command at work, for the audit log and for errors shown to clients. */
export function currentRequestId(): string | undefined {
  return atWork.getStore()?.fields.requestId as string | undefined
}

/** A failure in one line, for those that are expected now and then and need no stack. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : describe(error)
  const message: unknown = error.message // some libraries put an object there
  if (typeof message !== 'string') return inspect(message, { depth: 2 })
  // A connection that was refused on several addresses has a code and no message.
  return message || ('code' in error ? String(error.code) : error.name)
}

/** What is thrown or emitted need not be an Error: pg-boss emits plain objects with a message and more. */
function describe(thing: unknown): string {
  const { message, code } = Object(thing) as { message?: unknown; code?: unknown }
  const told = [message, code].find((text) => typeof text === 'string' && text !== '')
  return typeof told === 'string' ? told : inspect(thing, { depth: 2 })
}

// Bounded, so that a line of a megabyte that looks like many addresses is read in no time.
const urlPasswords = /(:\/\/[^\s:/@"]{0,100}:)[^\s@"]{1,200}@/g

/**
 * Takes known secrets, those of the request or job at work too, API keys and passwords in URLs out of a text. The last line of
 * defence: nothing should log them.
 */
export function scrubber(secrets: string[]): (text: string) => string {
  const always = spellingsOf(secrets)
  return (text) => {
    const more = atWork.getStore()?.secrets
    return (more?.size ? spellingsOf([...secrets, ...more]) : always)
      .reduce((clean, secret) => clean.replaceAll(secret, '********'), text)
      .replace(keysInText, 'frs_********')
      .replace(urlPasswords, '$1********@')
  }
}

/** In a log line a secret stands JSON-encoded, in an address URI-encoded. Long ones first, or a part would be left. */
function spellingsOf(secrets: string[]): string[] {
  const spellings = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ])
  return [...new Set(spellings)].sort((a, b) => b.length - a.length)
}

/** The same where no secret of the configuration is at hand: for what is kept or answered. */
export const scrub = scrubber([])

export type LogOptions = { level: string; secrets?: string[]; readable?: boolean; destination?: NodeJS.WritableStream }

/** JSON lines for machines; readable ones on a terminal. */
export function createLog({ level, secrets = [], readable = false, destination = process.stdout }: LogOptions): Log {
  const scrub = scrubber(secrets)
  const stream = readable
    ? pretty({
        destination,
        colorize: true,
        translateTime: 'SYS:HH:MM:ss',
        ignore: 'pid,hostname',
        singleLine: true,
        sync: true,
      })
    : destination
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...atWork.getStore()?.fields }), // a copy: pino writes the line's own fields into it
      hooks: { streamWrite: scrub },
    },
    stream,
  )
}
