import type { Command } from 'commander'
import type { Context, Run } from './context.ts'
import type { Finding } from './doctor/finding.ts'
import { print } from './print.ts'

const help = `
Examples:
  freshet doctor                    every check: ok, warn or fail, and what to do
  freshet doctor --json | jq '.checks[] | select(.verdict != "ok")'

The exit code is 1 when a check fails; warnings leave it at 0.`

/** `freshet doctor`: looks at everything that the server needs, and says what to do. */
export function addDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('check configuration, database, rights, clock and alerts; say what to do')
    .addHelpText('after', help)
    .action(
      run(async (context) => {
        const findings = await examine(context)
        const fails = findings.filter(({ verdict }) => verdict === 'fail').length
        const warns = findings.filter(({ verdict }) => verdict === 'warn').length
        const end = `\n${count(fails, 'failure')}, ${count(warns, 'warning')}.`
        print(context, [...findings.map(toText), end].join('\n'), {
          ok: fails === 0,
          checks: findings.map(({ advice = null, ...finding }) => ({ ...finding, advice })),
        })
        return fails > 0 ? 1 : 0
      }),
    )
}

async function examine(context: Context): Promise<Finding[]> {
  const { checkConfiguration } = await import('./doctor/configuration.ts')
  const { checkDataDirectory } = await import('./doctor/data-directory.ts')
  const { checkDatabase } = await import('./doctor/database.ts')
  const { scrubberOf } = await import('./failure.ts')
  const { unlessStopped } = await import('../interrupt.ts')
  const { config, findings } = checkConfiguration(context.env)
  if (config && !config.database.url) findings.push(...(await checkDataDirectory(config)))
  if (config)
    findings.push(
      ...(await checkDatabase(config, {
        now: context.now,
        signal: context.signal,
        wait: (work) => unlessStopped(context.signal, work),
      })),
    )
  const scrub = scrubberOf(context.env)
  return findings.map((finding) => ({
    ...finding,
    message: scrub(finding.message),
    ...(finding.advice === undefined ? {} : { advice: scrub(finding.advice) }),
  }))
}

function toText({ verdict, check, message, advice }: Finding): string {
  const indent = ' '.repeat(6)
  const lines = `${check}: ${message}`.split('\n')
  const advised = advice === undefined ? [] : [`→ ${advice}`]
  return [`${verdict.padEnd(6)}${lines[0]}`, ...[...lines.slice(1), ...advised].map((line) => indent + line)].join('\n')
}

const count = (number: number, noun: string) => `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
