/**
 * Reads a line whose quotes follow no rule, as in `"Best" knife` and `"<a href="x">"`. Two readings are tried, and one counts only
 * if it gives as many fields as the header has: a value in the wrong column would be worse than a rejected row.
 */
export function mendLine(line: string, delimiter: string, width: number | undefined): string[] | undefined {
  for (const reading of [lastOfField, strictly]) {
    const fields = split(line, delimiter, reading(line, delimiter))
    if (fields.length === (width ?? fields.length)) return fields
  }
  return undefined
}

/** Where the quote stands that closes the field opened at `open`; below nought: none does, and its quotes are letters. */
type ClosingQuote = (open: number) => number
type Reading = (line: string, delimiter: string) => ClosingQuote

/** A field that opens with a quote goes to the next quote before a delimiter; the quotes between are letters. */
const lastOfField: Reading = (line, delimiter) => {
  let isNoneLeft = false // each look goes to the end of the line: a line of nothing but opening quotes would take minutes
  return (open) => {
    const close = isNoneLeft ? -1 : line.indexOf(`"${delimiter}`, open + 1)
    isNoneLeft = close < 0
    if (close >= 0) return close
    return line.length - 1 > open && line.endsWith('"') ? line.length - 1 : -1
  }
}

/** A field is quoted if its first closing quote is followed by a delimiter; else its quotes are letters. */
const strictly: Reading = (line, delimiter) => (open) => {
  let close = line.indexOf('"', open + 1)
  while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2)
  return close >= 0 && (close + 1 === line.length || line[close + 1] === delimiter) ? close : -1
}

function split(line: string, delimiter: string, closingQuote: ClosingQuote): string[] {
  const fields: string[] = []
  for (let at = 0; at <= line.length;) {
    const close = line[at] === '"' ? closingQuote(at) : -1
    if (close >= 0) {
      fields.push(line.slice(at + 1, close).replaceAll('""', '"'))
      at = close + 2
      continue
    }
    const next = line.indexOf(delimiter, at)
    const stop = next < 0 ? line.length : next
    fields.push(line.slice(at, stop))
    at = stop + 1
  }
  return fields
}
