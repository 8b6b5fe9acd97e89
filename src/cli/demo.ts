import type { Command } from 'commander'
import type { Run } from './context.ts'

const help = `
Examples:
  npm run demo                      keeps its data in .freshet-demo
  freshet demo --once               fills it with sample data, prints what to try, stops
  FRESHET_DATA_DIR=my-demo freshet demo

The demo always has an embedded Postgres of its own: DATABASE_URL is left alone. Delete its folder to begin anew.`

/** `freshet demo`: the whole server with sample data. */
export function addDemo(program: Command, run: Run): void {
  program
    .command('demo')
    .description('start the server with sample data and show what to try')
    .option('--once', 'stop again when the sample data is in')
    .addHelpText('after', help)
    .action(
      run(async (context, { once = false }: { once?: boolean }) => {
        const { runDemo } = await import('./demo/run.ts')
        await runDemo(context, { once })
      }),
    )
}
