/** One statement of a SQL text. */
export type Statement = {
  /** As written, without its semicolon. */
  text: string
  /** Without comments, white space folded: what to recognise it by. */
  plain: string
  /** The line it begins on, from 1. */
  line: number
}

const token =
  /(?<comment>--[^\n]*|\/\*)|(?<space>\s+)|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<dollar>\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<word>[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)|[\s\S]/iy

/**
 * Splits SQL text at the semicolons that end statements: not those in strings, comments, dollar quotes, parentheses or
 * bodies that are written as `begin atomic … end`.
 */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = []
  let start = -1
  let plain = ''
  let parentheses = 0
  let blocks = 0
  let previousWord = ''
  const finish = (end: number) => {
    if (start >= 0) {
      const line = sql.slice(0, start).split('\n').length
      statements.push({ text: sql.slice(start, end).trimEnd(), plain: plain.trimEnd(), line })
    }
    start = -1
    plain = ''
    parentheses = blocks = 0
  }
  for (let at = 0; at < sql.length;) {
    token.lastIndex = at
    const match = token.exec(sql)
    if (!match) break
    const { comment, space, dollar, word } = match.groups ?? {}
    let end = at + match[0].length
    if (comment === '/*') end = endOfComment(sql, at)
    if (dollar) end = endOfDollarQuote(sql, at, dollar)
    if (word) {
      const lower = word.toLowerCase()
      if (lower === 'atomic' && previousWord === 'begin') blocks = 1
      else if (blocks > 0 && lower === 'case') blocks++
      else if (blocks > 0 && lower === 'end') blocks--
      previousWord = lower
    }
    if (match[0] === '(') parentheses++
    if (match[0] === ')') parentheses--
    if (match[0] === ';' && parentheses <= 0 && blocks === 0) {
      finish(at)
    } else if (comment || space) {
      if (plain !== '' && !plain.endsWith(' ')) plain += ' '
    } else {
      if (start < 0) start = at
      plain += sql.slice(at, end)
    }
    at = end
  }
  finish(sql.length)
  return statements
}

function endOfComment(sql: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  let depth = 0
  for (let match = mark.exec(sql); match; match = mark.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return sql.length
}

function endOfDollarQuote(sql: string, start: number, quote: string): number {
  const end = sql.indexOf(quote, start + quote.length)
  return end < 0 ? sql.length : end + quote.length
}

const transactionControl = /^(?:begin|commit|rollback|end|abort|start transaction|prepare transaction)\b/i

/** Whether a statement would begin or end a transaction. */
export const controlsTransaction = (statement: Statement) => transactionControl.test(statement.plain)
