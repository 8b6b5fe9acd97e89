import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Db } from '../db/prisma.ts'
import type { Actor } from '../domain/access/actor.ts'
import type { Problem } from '../domain/errors.ts'
import type { ImportCounts } from '../domain/lists/import.ts'
import type { Run } from './context.ts'
import { CommandError } from './error.ts'
import { print } from './print.ts'
import { readList } from './read-list.ts'

type Import = (db: Db, actor: Actor, csv: string, options: { dryRun: boolean }) => Promise<ImportCounts>
type Kind = { what: string; help: string; load: () => Promise<Import> }

/** Adds `import <file>` to a group: one list, all of it or nothing. */
export function addImport(group: Command, run: Run, { what, help, load }: Kind): void {
  group
    .command('import')
    .description(`take over a list of ${what} from a CSV file`)
    .argument('<file>', 'a table in UTF-8 with a header row')
    .option('--dry-run', 'only say what would happen')
    .addHelpText('after', help)
    .action(
      run(async (context, file: string, { dryRun = false }: { dryRun?: boolean }) => {
        const csv = await readList(resolve(context.folder, file), file, context.signal)
        const { withDb } = await import('./connect.ts')
        const importRows = await load()
        await withDb(context, async ({ db, actor }) => {
          const counts = await importRows(db, actor, csv, { dryRun }).catch((error: unknown) =>
            explainRefusal(error, file),
          )
          const { rows, created, updated, unchanged } = counts
          const text = `${rows} ${what}: ${created} created, ${updated} updated, ${unchanged} unchanged.`
          print(context, dryRun ? `${text} This was a dry run: nothing was written.` : text, counts)
        })
      }),
    )
}

/** Says of each problem where in the file it is. */
async function explainRefusal(error: unknown, file: string): Promise<never> {
  const { describeRefusal, ImportRefusedError } = await import('../domain/lists/import.ts')
  if (!(error instanceof ImportRefusedError)) throw error
  const { code, problems, total } = error
  const lines = problems.map((problem) => `  ${showPlace(problem)} ${problem.message}`)
  throw new CommandError(code, describeRefusal(file, lines, total), {
    hint: 'Correct them and import the whole list again.',
    problems: problems.map(({ line = null, column = null, message }) => ({ line, column, message })),
    cause: error,
  })
}

function showPlace({ line, column }: Problem): string {
  if (line === undefined) return 'the file'
  return column === undefined ? `line ${line}:` : `line ${line}, column ${column}:`
}
