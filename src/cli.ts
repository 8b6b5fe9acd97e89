import { Command } from 'commander'
import { loadEnvironment } from './config.ts'

export async function runCli(argv: string[]): Promise<void> {
  const program = new Command('freshet')
  program.command('start').action(async () => { const { runServer } = await import('./main.ts'); await runServer(loadEnvironment()) })
  await program.parseAsync(argv)
}
