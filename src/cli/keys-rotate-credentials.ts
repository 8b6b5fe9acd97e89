import type { Command } from 'commander'
import type { Rotation } from '../domain/feeds/credentials/rotate-credentials.ts'
import type { Context, Run } from './context.ts'
import { failed } from './failure.ts'
import { print, visible } from './print.ts'

const help = `
Set CREDENTIAL_ENCRYPTION_KEY_B64 to the new key and CREDENTIAL_ENCRYPTION_OLD_KEY_B64 to the one before it, for all
processes first, then run this. Each feed is a transaction of its own: it may be stopped and run again.

Examples:
  freshet keys rotate-credentials --dry-run    says how many credentials it would encrypt anew
  freshet keys rotate-credentials              encrypts them with the new key
  freshet keys rotate-credentials --json

Exit codes: 1 if a credential could not be opened; those feeds are named and nothing of them is changed.`

/** `freshet keys rotate-credentials`: the credentials of all feeds, encrypted with the key of today. */
export function addKeysRotateCredentials(keys: Command, run: Run): void {
  keys
    .command('rotate-credentials')
    .description('encrypt the credentials of all feeds with the current key')
    .option('--dry-run', 'only say what would happen')
    .addHelpText('after', help)
    .action(
      run(async (context, { dryRun = false }: { dryRun?: boolean }) => {
        const { readConfig } = await import('../config.ts')
        // As the server asks for it: without a key that was named, one would be made here that no other process has.
        const { config } = readConfig(context.env)
        const { withDb } = await import('./connect.ts')
        const { openKeyRing } = await import('../domain/feeds/credentials/open-key-ring.ts')
        const { rotateCredentials } = await import('../domain/feeds/credentials/rotate-credentials.ts')
        return await withDb(context, async ({ db, actor }) => {
          const keyRing = await openKeyRing(config.access, config.dataDir)
          const rotation = await rotateCredentials(db, actor, keyRing, { dryRun, signal: context.signal })
          tell(context, rotation, dryRun)
          return rotation.unreadable.length > 0 ? failed : 0
        })
      }),
    )
}

function tell(context: Context, { keyId, rotated, current, unreadable }: Rotation, dryRun: boolean): void {
  const counts = `Key ${keyId}: ${rotated} rotated, ${current} were current, ${unreadable.length} could not be opened.`
  const lines = [
    dryRun ? `${counts} This was a dry run: nothing was written.` : counts,
    ...unreadable.map(({ feedId, name, message }) => `  feed ${feedId} (${visible(name)}): ${message}`),
    ...(unreadable.length > 0
      ? ['Give the key that they were encrypted with, or enter their credentials anew with updateFeed.']
      : []),
  ]
  print(context, lines.join('\n'), { keyId, rotated, current, unreadable, dryRun })
}
