import type { AlertSeverity } from '../../db/generated/client/enums.ts'
import { queryRows, type Sql } from '../../db/sql.ts'

export type OpenAlert = { severity: AlertSeverity; kind: string; subject: string; message: string }

const statement =
  'select severity::text, kind, subject, message from freshet.alerts where resolved_at is null order by severity, id'

/** The alerts that are not resolved, the worst first. */
export const readOpenAlerts = (sql: Sql): Promise<OpenAlert[]> => queryRows(sql, statement)
