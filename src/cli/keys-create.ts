import { InvalidArgumentError, Option, type Command } from 'commander'
import { KeyScope } from '../db/generated/client/enums.ts'
import type { Scope } from '../domain/access/actor.ts'
import type { NewKeyInput } from '../domain/access/api-key.ts'
import type { Run } from './context.ts'
import { UsageError } from './error.ts'
import { describeKey } from './key-view.ts'
import { alignRows, print, shortTime } from './print.ts'

const help = `
Scopes: READ asks for the catalogue; OPERATE also runs and sets up sources; ADMIN also manages keys and visibility.

Examples:
  freshet keys create --name shop --scope READ
  freshet keys create --name ci --scope OPERATE --expires 30d
  freshet keys create --name audit --scope READ --scope OPERATE --expires 2027-01-31T12:00Z
  key=$(freshet keys create --name shop --scope READ --json | jq -r .key)`

type Options = { name: string; scope: Scope[]; expires?: string }

/** `freshet keys create`: makes a key and shows it this once. */
export function addKeysCreate(keys: Command, run: Run): void {
  keys
    .command('create')
    .description('make a key; it is shown only once')
    .requiredOption('--name <name>', 'what or whom it is for')
    .addOption(
      new Option('--scope <scope>', 'what it may do: READ, OPERATE or ADMIN (repeatable)')
        .argParser(collectScope)
        .makeOptionMandatory(),
    )
    .option('--expires <when>', 'when it ends by itself: a span (30d) or a moment (2027-01-31)')
    .addHelpText('after', help)
    .action(
      run(async (context, { name, scope, expires }: Options) => {
        const { parseExpiry } = await import('./expiry.ts')
        const now = context.now()
        const input = { name, scopes: scope, expiresAt: expires === undefined ? null : parseExpiry(expires, now) }
        const { withDb } = await import('./connect.ts')
        const { createApiKey } = await import('../domain/access/api-key.ts')
        await withDb(context, async ({ db, actor }) => {
          const made = await createApiKey(db, actor, input, now).catch(explainInput)
          const { id, scopes, expiresAt } = made.apiKey
          const rows = [
            ['Key', made.key],
            ['', 'shown only this once: it is stored as a hash'],
            ['Id', String(id)],
            ['Scopes', scopes.join(', ')],
            ['Expires', expiresAt ? shortTime(expiresAt) : 'never'],
          ]
          print(context, alignRows(rows), { key: made.key, apiKey: describeKey(made.apiKey, now) })
        })
      }),
    )
}

const isScope = (text: string): text is Scope => Object.hasOwn(KeyScope, text)

function collectScope(text: string, before: Scope[] = []): Scope[] {
  const scope = text.toUpperCase()
  if (!isScope(scope)) throw new InvalidArgumentError(`Choose among ${Object.keys(KeyScope).join(', ')}.`)
  return [...before, scope]
}

const options: Record<`input.${keyof NewKeyInput}`, string> = {
  'input.name': '--name',
  'input.scopes': '--scope',
  'input.expiresAt': '--expires',
}

/** What the domain says about an input, in the words of the command line. */
async function explainInput(error: unknown): Promise<never> {
  const { DomainError } = await import('../domain/errors.ts')
  if (!(error instanceof DomainError) || error.code !== 'BAD_USER_INPUT') throw error
  const problems = error.problems.map(({ field, message }) => ({
    option: options[field as keyof typeof options] ?? field,
    message,
  }))
  throw new UsageError(problems.map(({ option, message }) => `${option} ${message}`).join('\n'), { problems })
}
