import { ConfigError, describeConfig, readConfig, type Config, type Environment } from '../../config.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const check = 'configuration'

/** Whether the settings are valid; what only the server needs is a warning, since this may be another machine. */
export function checkConfiguration(env: Environment): { config?: Config; findings: Finding[] } {
  try {
    const { config, warnings } = readConfig(env, { forServer: false })
    const odd = warnings.map((warning) => warn(check, warning, 'Correct the name or remove the variable.'))
    const findings = [...odd, ...serverOnly(env)]
    if (findings.length > 0) return { config, findings }
    const set = describeConfig(env).filter(({ source }) => source !== 'default').length
    return { config, findings: [ok(check, set === 0 ? 'all defaults' : `${set} of its variables set, all valid`)] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { findings: describe(error, fail) }
  }
}

function serverOnly(env: Environment): Finding[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return describe(error, warn)
  }
}

const describe = ({ problems }: ConfigError, verdict: typeof warn) =>
  problems.map(({ variable, message, example }) =>
    verdict(check, `${variable} ${message}`, `Set it as in ${variable}=${example}`),
  )
