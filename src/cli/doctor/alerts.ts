import type { ClientBase } from 'pg'
import { readOpenAlerts, type OpenAlert } from '../../domain/alerts/open-alerts.ts'
import { fail, isAbsent, ok, warn, type Finding } from './finding.ts'

const shownAlerts = 5

/** What people should look at: one that must be looked at now is a failure, one of today a warning. */
export async function checkAlerts(client: ClientBase): Promise<Finding[]> {
  try {
    return judgeAlerts(await readOpenAlerts(client))
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

function judgeAlerts(alerts: OpenAlert[]): Finding[] {
  const advice =
    'docs/alerts.md says what each means; "alerts(filter: {isOpen: true})" shows them, "resolveAlert" ends one.'
  const of = (severity: string) => alerts.filter((alert) => alert.severity === severity)
  const findings = [
    ...(of('P1').length > 0 ? [fail('alerts', list('P1', of('P1')), advice)] : []),
    ...(of('P2').length > 0 ? [warn('alerts', list('P2', of('P2')), advice)] : []),
  ]
  return findings.length > 0 ? findings : [ok('alerts', 'none of P1 or P2 is open')]
}

function list(severity: string, alerts: OpenAlert[]): string {
  const lines = alerts.slice(0, shownAlerts).map(({ kind, subject, message }) => `  ${kind} (${subject}): ${message}`)
  const more = alerts.length > shownAlerts ? [`  and ${alerts.length - shownAlerts} more`] : []
  return [`${alerts.length} open of severity ${severity}:`, ...lines, ...more].join('\n')
}
