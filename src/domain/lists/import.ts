import type { Db, Tx } from '../../db/prisma.ts'
import { DomainError, type Problem } from '../errors.ts'

export type ImportCounts = { rows: number; created: number; updated: number; unchanged: number; dryRun: boolean }

const maxProblems = 100

/** A list that is not taken: `problems` are the first hundred of `total`. */
export class ImportRefusedError extends DomainError {
  readonly total: number

  constructor(all: Problem[]) {
    const problems = all.slice(0, maxProblems)
    const lines = problems.map(({ field, message }) => `${field}: ${message}`)
    super('IMPORT_REFUSED', describeRefusal('The list', lines, all.length), { problems })
    this.total = all.length
  }
}

/** What is said of a list that is not taken; each of `lines` is a problem, `total` counts those left out too. */
export function describeRefusal(list: string, lines: string[], total: number): string {
  const more = total > lines.length ? [`… and ${total - lines.length} more.`] : []
  const head = `${list} has ${total === 1 ? 'a problem' : `${total} problems`}; nothing was written:`
  return [head, ...lines, ...more].join('\n')
}

/** Refuses a list with any problem; they are told from its first line to its last. */
export function refuseImport(problems: Problem[]): void {
  if (problems.length > 0) throw new ImportRefusedError(problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)))
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
