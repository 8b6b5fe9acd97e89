import { ConfigError, describeConfig, readConfig, type Config, type Environment } from '../../config.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const check = 'configuration'

/**
 * Whether the settings are valid, with all that `freshet start` asks for: it refuses what fails here. The database is looked
 * at even so where it can be reached without.
 */
export function checkConfiguration(env: Environment): { config?: Config; findings: Finding[] } {
  try {
    const { config, warnings } = readConfig(env, { forServer: false })
    const odd = warnings.map((warning) => warn(check, warning, 'Correct the name or remove the variable.'))
    const findings = [...odd, ...serverOnly(env)]
    if (findings.length > 0) return { config, findings }
    const set = describeConfig(env).filter(({ source }) => source !== 'default').length
    return { config, findings: [ok(check, set === 0 ? 'all defaults' : `${set} of its variables set, all valid`)] }
  } catch (error) {
    return { findings: describe(error) }
  }
}

function serverOnly(env: Environment): Finding[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return describe(error)
  }
}

function describe(error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) throw error
  return error.problems.map(({ variable, message, example }) =>
    fail(check, `${variable} ${message}`, `Set it as in ${variable}=${example}`),
  )
}
