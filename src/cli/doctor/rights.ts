import type { ClientBase } from 'pg'
import { readQuery } from '../../db/query.ts'
import { fail, ok, type Finding } from './finding.ts'

const shownRights = 5

/** Whether the role may do what the program does: rows and functions, and where it also migrates, tables. */
export async function checkRights(client: ClientBase, migrates: boolean): Promise<Finding> {
  const { rows } = await client.query<{ role: string; missing: string[] }>(readQuery('missing_rights'), [migrates])
  const { role = '', missing = [] } = rows[0] ?? {}
  const may = migrates ? 'migrate, and read and write rows' : 'read and write rows'
  if (missing.length === 0) return ok('rights', `the role ${role} may ${may}`)
  const more = missing.length > shownRights ? ` and ${missing.length - shownRights} more` : ''
  const message = `the role ${role} lacks ${missing.slice(0, shownRights).join(', ')}${more}`
  const grant = `let the role that migrates run: select freshet.grant_runtime('${role}')`
  if (!migrates) return fail('rights', message, `${grant[0]?.toUpperCase()}${grant.slice(1)}`)
  const advice = `Use the role that owns the schemas freshet and pgboss; or set FRESHET_MIGRATE=false here and ${grant}`
  return fail('rights', message, advice)
}
