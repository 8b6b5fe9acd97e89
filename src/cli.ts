import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addConfig } from './cli/config.ts'
import { openContext, type Io, type Run } from './cli/context.ts'
import { addDemo } from './cli/demo.ts'
import { addDoctor } from './cli/doctor.ts'
import { addFeeds } from './cli/feeds.ts'
import { addKeys } from './cli/keys.ts'
import { addMigrate } from './cli/migrate.ts'
import { addOffers } from './cli/offers.ts'
import { addPsql } from './cli/psql.ts'
import { addRetailers } from './cli/retailers.ts'
import { addSources } from './cli/sources.ts'
import { addStart } from './cli/start.ts'

const commands = [
  addStart, addDemo, addMigrate, addConfig, addDoctor, addKeys, addRetailers, addSources, addFeeds, addOffers, addPsql,
] // prettier-ignore

const examples = `
Examples:
  freshet start                                   everything in one process, with an embedded Postgres
  freshet doctor                                  says what is wrong and what to do about it
  freshet keys create --name shop --scope READ    a key for a client
  freshet feeds run 7 --watch                     fetches the file of a feed and shows how that goes
  freshet keys list --json                        for other programs

Exit codes: 0 fine, 1 the command failed, 2 wrong usage or bad configuration, 130 interrupted.`

/**
 * The `freshet` command. Returns the exit code and never ends the process. Modules that a command alone needs are
 * loaded when it runs, so that help and mistakes are answered at once.
 */
export async function runCli(argv: string[], io: Io): Promise<number> {
  const json = wantsJson(argv)
  let exitCode = 0
  const run: Run =
    (work) =>
    async (...args) => {
      exitCode = (await work(await openContext(io, json), ...args)) ?? 0
    }
  const program = createProgram(io, json)
  for (const add of commands) add(program, run)
  addJson(program)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    const { reportFailure } = await import('./cli/failure.ts')
    return reportFailure(error, io, json, commandIn(program, argv))
  }
}

function createProgram({ out, err }: Io, json: boolean): Command {
  return new Command('freshet')
    .description(manifest.description)
    .version(manifest.version)
    .enablePositionalOptions() // so that psql gets its own options
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => json || err.write(text),
      outputError: () => {}, // told by reportFailure, like every other failure
    })
}

/** The command that was meant, as far as its words are known: its help is the one to point at. */
function commandIn(program: Command, argv: string[]): string {
  const [word, ...rest] = argv.filter((argument) => !argument.startsWith('-'))
  const child = program.commands.find((command) => command.name() === word)
  return child ? `${program.name()} ${commandIn(child, rest)}` : program.name()
}

/** Every command knows `--json`, wherever it stands. */
function addJson(command: Command): void {
  command.option('--json', 'answer in JSON, errors too')
  for (const child of command.commands) addJson(child)
}

/** Known before anything is parsed, so that mistakes in usage are told in JSON too. */
function wantsJson(argv: string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json')
}
