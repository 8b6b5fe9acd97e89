import type { Command } from 'commander'
import type { Run } from './context.ts'
import { addKeysCreate } from './keys-create.ts'
import { addKeysList } from './keys-list.ts'
import { addKeysRevoke } from './keys-revoke.ts'
import { addKeysRotateCredentials } from './keys-rotate-credentials.ts'

const help = `
Examples:
  freshet keys create --name reporting --scope READ
  freshet keys list
  freshet keys revoke frs_1a2b3c4d
  freshet keys rotate-credentials --dry-run`

/** `freshet keys`: who may come in, and what credentials of feeds are encrypted with. */
export function addKeys(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description('make, list and revoke API keys; rotate the key of credentials')
    .addHelpText('after', help)
  for (const add of [addKeysCreate, addKeysList, addKeysRevoke, addKeysRotateCredentials]) add(keys, run)
}
