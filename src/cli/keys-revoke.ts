import type { Command } from 'commander'
import type { ApiKey } from '../db/generated/client/client.ts'
import type { Db } from '../db/prisma.ts'
import type { Run } from './context.ts'
import { CommandError } from './error.ts'
import { describeKey } from './key-view.ts'
import { print, shortTime, visible } from './print.ts'

const help = `
Examples:
  freshet keys revoke 12
  freshet keys revoke frs_1a2b3c4d    by the beginning that "freshet keys list" shows

The key ends at once, and its open subscriptions with it.`

/** `freshet keys revoke`: ends a key. */
export function addKeysRevoke(keys: Command, run: Run): void {
  keys
    .command('revoke')
    .description('end a key at once')
    .argument('<key>', 'its id, or how it begins')
    .addHelpText('after', help)
    .action(
      run(async (context, which: string) => {
        const { withDb } = await import('./connect.ts')
        const { revokeApiKey } = await import('../domain/access/api-key.ts')
        await withDb(context, async ({ db, actor }) => {
          const before = await findKey(db, which)
          const after = await revokeApiKey(db, actor, before.id, context.now(), { confirm: true }) // whoever is here can make another
          const name = `${after.prefix}… (${visible(after.name)})`
          const text = before.revokedAt
            ? `${name} was revoked at ${shortTime(before.revokedAt)}.`
            : `${name} is revoked.`
          print(context, text, { apiKey: describeKey(after, context.now()) })
        })
      }),
    )
}

async function findKey(db: Db, which: string): Promise<ApiKey> {
  const { digestKey } = await import('../domain/access/key.ts')
  const hash = digestKey(which)?.hash // somebody has the whole key at hand
  const id = /^\d{1,18}$/.exec(which)?.[0]
  const where = hash ? { hash } : id ? { id: BigInt(id) } : { prefix: { startsWith: literally(which) } }
  const found = which === '' ? [] : await db.apiKey.findMany({ where, take: 2, orderBy: { id: 'asc' } })
  const [first, second] = found
  if (!first) {
    throw new CommandError('NOT_FOUND', `There is no key "${which}".`, { hint: '"freshet keys list" shows all keys.' })
  }
  if (second) {
    const message = `Several keys begin with "${which}", among them those with the ids ${first.id} and ${second.id}.`
    throw new CommandError('AMBIGUOUS_KEY', message, { hint: 'Give more of the key, or its id.' })
  }
  return first
}

/** Prisma escapes none of these: `_` stands in many a key, and to LIKE it is any letter. */
const literally = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&')
