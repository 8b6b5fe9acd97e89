import { readFileSync, readdirSync } from 'node:fs'

/** One ready-made operation of the drop-down. */
export type ReadyMadeOperation = { file: string; title: string; explanation: string; query: string; variables: string }

const folder = new URL('./operations/', import.meta.url)

/** Reads every operation, area by area (a folder each), in the order of the names; adding a file is all it takes to add one. */
export function loadOperations(from: URL = folder): ReadyMadeOperation[] {
  const files = readdirSync(from, { encoding: 'utf8', recursive: true }).toSorted()
  return files
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => {
      const variablesFile = file.replace(/\.graphql$/, '.variables.json')
      const variables = files.includes(variablesFile) ? readFileSync(new URL(variablesFile, from), 'utf8').trim() : ''
      return { file, ...parseOperation(file, readFileSync(new URL(file, from), 'utf8')), variables }
    })
}

function parseOperation(file: string, text: string): { title: string; explanation: string; query: string } {
  const lines = text.trim().split('\n')
  const end = lines.findIndex((line) => !line.startsWith('#'))
  const [title, ...explanation] = lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => line.replace(/^#\s?/, '').trim())
  if (!title) throw new Error(`${file} has no title: its first line must be "# " and what the drop-down shows.`)
  return { title, explanation: explanation.filter(Boolean).join(' '), query: `${text.trim()}\n` }
}
