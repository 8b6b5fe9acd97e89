import { ConfigError, readConfig, type Environment } from '../../src/config.ts'

/** What is told of an environment that is refused; one that is taken fails. */
export function configProblems(env: Environment, forServer = false): ConfigError {
  try {
    readConfig(env, { forServer })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was taken')
}

/** The configuration of any command but a server. */
export const configOf = (env: Environment) => readConfig(env, { forServer: false }).config
