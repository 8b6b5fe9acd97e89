import type { Command } from 'commander'
import type { Run } from './context.ts'
import { addImport } from './import-file.ts'

const groupHelp = `
Examples:
  freshet sources import sources.csv --dry-run`

const help = `
Columns: name (required), retailer (slug or name), kind, url, created_at, expiry_hours, affiliate_network,
affiliate_account_id, affiliate_account_name, affiliate_tracking_template. A row without a retailer is matched by the
domain of its url. A retailer without a display primary gets its oldest direct source. All rows are taken, or none.

Examples:
  freshet sources import examples/sources.csv --dry-run
  freshet sources import examples/sources.csv`

/** `freshet sources import`: takes over an existing list. */
export function addSources(program: Command, run: Run): void {
  const sources = program.command('sources').description('import sources').addHelpText('after', groupHelp)
  addImport(sources, run, { what: 'sources', help, load: loadImport })
}

async function loadImport() {
  const { importSources } = await import('../domain/sources/import-sources.ts')
  return importSources
}
