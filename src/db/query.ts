import { readFileSync } from 'node:fs'

/** A statement of `sql/queries` by the name of its file. */
export function readQuery(name: string): string {
  return readFileSync(new URL(`../../sql/queries/${name}.sql`, import.meta.url), 'utf8')
}
