import type { Command } from 'commander'
import type { Run } from './context.ts'
import { addImport } from './import-file.ts'

const groupHelp = `
Examples:
  freshet retailers import retailers.csv --dry-run`

const help = `
Columns: name (required), slug, website, logo_url, tier. A row whose slug exists updates that retailer; an empty cell
changes nothing. All rows are taken, or none.

Examples:
  freshet retailers import examples/retailers.csv --dry-run
  freshet retailers import examples/retailers.csv`

/** `freshet retailers import`: takes over an existing list. */
export function addRetailers(program: Command, run: Run): void {
  const retailers = program.command('retailers').description('import retailers').addHelpText('after', groupHelp)
  addImport(retailers, run, { what: 'retailers', help, load: loadImport })
}

async function loadImport() {
  const { importRetailers } = await import('../domain/retailers/import-retailers.ts')
  return importRetailers
}
