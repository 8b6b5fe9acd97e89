import type { Db, Tx } from '../db/prisma.ts'
import { DomainError, type Problem } from './errors.ts'

export type ImportCounts = { rows: number; created: number; updated: number; unchanged: number; dryRun: boolean }

const maxProblems = 100

/** Refuses a list with any problem, and shows the first hundred. */
export function refuseImport(problems: Problem[]): void {
  if (problems.length === 0) return
  const shown = problems.slice(0, maxProblems)
  const more = problems.length > shown.length ? `\n… and ${problems.length - shown.length} more.` : ''
  const list = shown.map(({ field, message }) => `${field}: ${message}`).join('\n')
  throw new DomainError(
    'IMPORT_REFUSED',
    `The list has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}; nothing was written:\n${list}${more}`,
    { problems: shown },
  )
}

class DryRun extends Error {
  readonly counts: ImportCounts
  constructor(counts: ImportCounts) {
    super('dry run')
    this.counts = counts
  }
}

/** Runs an import in one transaction; a dry run does all of it and takes it back, so that its answer is exact. */
export async function runImport(
  db: Db,
  dryRun: boolean,
  work: (tx: Tx) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  try {
    return await db.$transaction(
      async (tx) => {
        const counts = await work(tx)
        if (dryRun) throw new DryRun(counts)
        return counts
      },
      { timeout: 60_000 },
    )
  } catch (error) {
    if (error instanceof DryRun) return error.counts
    throw error
  }
}
