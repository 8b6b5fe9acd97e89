/** What one check found. `advice` says what to do; it is there whenever something is not ok. */
export type Finding = { check: string; verdict: 'ok' | 'warn' | 'fail'; message: string; advice?: string }

export const ok = (check: string, message: string): Finding => ({ check, verdict: 'ok', message })
export const warn = (check: string, message: string, advice: string): Finding => ({
  check,
  verdict: 'warn',
  message,
  advice,
})
export const fail = (check: string, message: string, advice: string): Finding => ({
  check,
  verdict: 'fail',
  message,
  advice,
})

/** Whether something asked for is not installed, or not to be read by this role: the checks of migrations and rights say so. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '42P01' || code === '42883' || code === '3F000' || code === '42501'
}

/** An error of ours as a finding: its message and its hint. */
export function failFrom(check: string, error: unknown, advice: string): Finding {
  const { message, hint } = error as Error & { hint?: string }
  return fail(check, message || String(error), hint ?? advice)
}
