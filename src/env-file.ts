import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { variables } from './config-variables.ts'
import { ExpectedError } from './expected-error.ts'

type Problem = { line: number; message: string }

const hint = 'Each line is empty, a comment (# …) or NAME=value; a value with blanks or # stands in quotes.'
const assignment = /^\s*(?:export\s+)?[^\s=#'"]+\s*=[^\S\n]*(["'`]?)/

/**
 * The variables of a `.env` file, nothing where there is none. Node takes what it understands and passes over the rest; here what is
 * not understood is told by its line, without a word of what stands there: it may be a secret.
 */
export function readEnvFile(file: string): Record<string, string | undefined> {
  const text = readText(file)
  if (text === undefined) return {}
  const problems = problemsOf(text)
  if (problems.length > 0) {
    const head = `${file} has ${problems.length === 1 ? 'a line that is' : `${problems.length} lines that are`} not understood:`
    const lines = problems.map(({ line, message }) => `  line ${line}: ${message}`)
    throw refusal([head, ...lines].join('\n'), { hint, problems })
  }
  return parseEnv(text)
}

function readText(file: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    if (!text.includes('\0')) return text.replaceAll('\r\n', '\n')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    const reason = code === 'EISDIR' ? 'it is a directory' : (error as Error).message
    if (isText) throw refusal(`${file} cannot be read: ${reason}.`, { hint: 'Correct or remove it.', cause: error })
  }
  throw refusal(`${file} is not text in UTF-8.`, { hint: 'Save it as UTF-8, or remove it.' })
}

function problemsOf(text: string): Problem[] {
  const lines = text.split('\n')
  const problems: Problem[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const found = assignment.exec(line)
    if (!found) {
      problems.push({ line: index + 1, message: misplaced(line) })
      continue
    }
    const [head, quote = ''] = found
    const end = quote === '' ? index : lineOfEnd(lines, index, head.length, quote)
    if (end === undefined) problems.push({ line: index + 1, message: `the quote (${quote}) is not closed.` })
    else index = end // a value in quotes may have several lines
  }
  return problems
}

function misplaced(line: string): string {
  const [, name = ''] = /^\s*(?:export\s+)?(\w+)/.exec(line) ?? []
  return name in variables ? `there is no "=" after ${name}.` : 'it is not of the form NAME=value.'
}

function lineOfEnd(lines: string[], first: number, from: number, quote: string): number | undefined {
  if (lines[first]?.includes(quote, from)) return first
  const rest = lines.findIndex((line, index) => index > first && line.includes(quote))
  return rest < 0 ? undefined : rest
}

const refusal = (message: string, details: { hint: string; problems?: Problem[]; cause?: unknown }) =>
  new ExpectedError('BAD_CONFIGURATION', message, details)
