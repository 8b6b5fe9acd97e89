import type { Command } from 'commander'
import type { Run } from './context.ts'
import { describeKey } from './key-view.ts'
import { alignRows, print, shortTime } from './print.ts'

const help = `
Examples:
  freshet keys list
  freshet keys list --json | jq '.keys[] | select(.status == "active")'`

const header = ['ID', 'PREFIX', 'STATUS', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME']

/** `freshet keys list`: every key there ever was, newest first. */
export function addKeysList(keys: Command, run: Run): void {
  keys
    .command('list')
    .description('list all keys, newest first, revoked ones included')
    .addHelpText('after', help)
    .action(
      run(async (context) => {
        const { withDb } = await import('./connect.ts')
        await withDb(context, async ({ db }) => {
          const found = await db.apiKey.findMany({ orderBy: { id: 'desc' } })
          const shown = found.map((key) => describeKey(key, context.now()))
          const rows = shown.map(({ id, prefix, status, scopes, createdAt, lastUsedAt, expiresAt, name }) => [
            String(id),
            prefix,
            status,
            scopes.join(','),
            shortTime(createdAt),
            lastUsedAt ? shortTime(lastUsedAt) : 'never',
            expiresAt ? shortTime(expiresAt) : 'never',
            name,
          ])
          const text =
            rows.length > 0 ? alignRows([header, ...rows]) : 'There is no key yet: "freshet keys create" makes one.'
          print(context, text, { keys: shown })
        })
      }),
    )
}
