import { queryRows, type Sql } from '../../db/sql.ts'
import type { Problem } from '../errors.ts'
import { text } from '../input.ts'
import { sqlRefusal, type SqlCode } from '../sql-codes.ts'

/** The forms of what says when something runs; what they mean is for Postgres to read. */
export const cronText = text(200)
export const zoneText = text(100)

/** In which field of an input each stands. */
export type TimeFields = { cron: string; timeZone: string }

const fieldOf: Partial<Record<SqlCode, keyof TimeFields>> = { FR031: 'cron', FR032: 'timeZone' }

/** What Postgres has against an expression or a zone: it names the character that is wrong. Other errors are none of this. */
export function timeProblem(error: unknown, fields: TimeFields): Problem | undefined {
  const found = sqlRefusal(error)
  const field = found && fieldOf[found.code]
  if (!found || !field) return undefined
  const [message = ''] = found.message.split('\n')
  return { field: fields[field], message, ...(found.hint ? { hint: found.hint } : {}) }
}

/**
 * What is wrong with the times that are given. A statement that is refused tells the first alone, so each is asked for; a form
 * that is wrong already is told by the schema.
 */
export async function findBadTimes(
  sql: Sql,
  { cron, timeZone }: { cron?: unknown; timeZone?: unknown },
  fields: TimeFields,
): Promise<Problem[]> {
  const read = async (statement: string, given: string | undefined): Promise<Problem[]> => {
    if (given === undefined) return []
    try {
      await queryRows(sql, statement, [given])
      return []
    } catch (error) {
      const problem = timeProblem(error, fields)
      if (!problem) throw error
      return [problem]
    }
  }
  return [
    ...(await read('select 1 from freshet.parse_cron($1)', cronText.safeParse(cron).data)),
    ...(await read('select 1 from freshet.check_time_zone($1)', zoneText.safeParse(timeZone).data)),
  ]
}
