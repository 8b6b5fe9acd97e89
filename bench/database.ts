import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { openDatabase, type Database } from '../src/db/open.ts'

/** A database of a bench's own: an embedded server in a folder that goes with it. */
export async function openBenchDatabase(): Promise<Database> {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  await chmod(dir, 0o755) // as root the server runs as another user, who has to get in
  const { config } = readConfig({ PORT: '0', FRESHET_DATA_DIR: dir, LOG_LEVEL: 'silent' })
  const database = await openDatabase(config)
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
