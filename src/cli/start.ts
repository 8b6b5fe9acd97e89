import { Option, type Command } from 'commander'
import type { Run } from './context.ts'
import { toJson } from './print.ts'

const help = `
Examples:
  freshet start                     answers requests and works jobs
  freshet start --role api          only answers requests; run a worker beside it
  PORT=8080 freshet start           listens on another port
  freshet start --json              log and greeting in JSON, one line each

Ctrl-C lets what is at work finish, then stops; a second Ctrl-C stops at once.`

/** `freshet start`: the server, until it is told to stop. */
export function addStart(program: Command, run: Run): void {
  program
    .command('start')
    .description('start the server: Postgres, migrations, queue, schedules, HTTP')
    .addOption(
      new Option('--role <role>', 'what this process does (overrides FRESHET_ROLE)').choices(['all', 'api', 'worker']),
    )
    .addHelpText('after', help)
    .action(
      run(async ({ env, out, signal, json }, { role }: { role?: string }) => {
        const { runServer } = await import('../main.ts')
        const given = role ? { ...env, FRESHET_ROLE: role } : env
        if (!json) return runServer(given, { out, signal })
        return runServer(given, {
          out,
          signal,
          readable: false,
          announce: ({ config, database, app: { url, firstKey, schedules } }) => {
            const postgres = database.description
            return `${toJson({ ready: { url, role: config.role, postgres, schedules, firstKey: firstKey ?? null } })}\n`
          },
        })
      }),
    )
}
