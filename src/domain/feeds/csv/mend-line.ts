/**
 * Reads a line whose quotes follow no rule, as in `"Best" knife` and `"<a href="x">"`. Two readings are tried, and one counts only
 * if it gives as many fields as the header has: a value in the wrong column would be worse than a rejected row.
 */
export function mendLine(line: string, delimiter: string, width: number | undefined): string[] | undefined {
  for (const closingQuote of [lastOfField, strictly]) {
    const fields = split(line, delimiter, closingQuote)
    if (fields.length === (width ?? fields.length)) return fields
  }
  return undefined
}

type ClosingQuote = (line: string, open: number, delimiter: string) => number

/** A field that opens with a quote goes to the next quote before a delimiter; the quotes between are letters. */
const lastOfField: ClosingQuote = (line, open, delimiter) => {
  const close = line.indexOf(`"${delimiter}`, open + 1)
  if (close >= 0) return close
  return line.length - 1 > open && line.endsWith('"') ? line.length - 1 : -1
}

/** A field is quoted if its first closing quote is followed by a delimiter; else its quotes are letters. */
const strictly: ClosingQuote = (line, open, delimiter) => {
  let close = line.indexOf('"', open + 1)
  while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2)
  return close >= 0 && (close + 1 === line.length || line[close + 1] === delimiter) ? close : -1
}

function split(line: string, delimiter: string, closingQuote: ClosingQuote): string[] {
  const fields: string[] = []
  for (let at = 0; at <= line.length;) {
    const close = line[at] === '"' ? closingQuote(line, at, delimiter) : -1
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
