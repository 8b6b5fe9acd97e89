import type { Command } from 'commander'
import type { Run } from './context.ts'
import { alignRows, print } from './print.ts'

const help = `
Examples:
  freshet config                    every setting, its value and where it comes from
  freshet config --json | jq -r '.variables[] | select(.source != "default") | .name'

Secrets are masked. A setting that is not valid makes the exit code 2.`

/** `freshet config`: what is in effect, secrets masked. */
export function addConfig(program: Command, run: Run): void {
  program
    .command('config')
    .description('show the settings in effect, secrets masked')
    .addHelpText('after', help)
    .action(
      run(async (context) => {
        const { describeConfig, readConfig, ConfigError } = await import('../config.ts')
        const { env, given } = context
        const variables = describeConfig(env).map(({ source, ...rest }) => {
          const isFromFile = source === 'environment' && given[rest.name] === undefined
          return { ...rest, source: isFromFile ? '.env' : source }
        })
        let warnings: string[] = []
        let problem: unknown
        try {
          ;({ warnings } = readConfig(env, { forServer: false }))
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error
          problem = error
        }
        const rows = variables.map(({ name, value, source }) => [name, value === '' ? '-' : value, source])
        const text = [alignRows([['NAME', 'VALUE', 'FROM'], ...rows]), ...warnings.map((text) => `warning: ${text}`)]
        print(context, text.join('\n'), { variables, warnings })
        if (problem) throw problem
      }),
    )
}
