// Writes sql/schema.snapshot.sql from a freshly migrated database; with --check it only compares.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../src/db/embedded/server.ts'
import { migrate } from '../src/db/migrate/migrate.ts'
import { snapshotPath, takeSnapshot } from '../src/db/snapshot.ts'

const snapshot = await snapshotOfFreshDatabase()
if (process.argv.includes('--check')) {
  const kept = await readFile(snapshotPath, 'utf8').catch(() => '')
  if (kept !== snapshot) {
    process.stderr.write(`sql/schema.snapshot.sql is not what the SQL files make. ${firstDifference(kept, snapshot)}\n`)
    process.stderr.write('Run: node tools/snapshot.ts\n')
    process.exitCode = 1
  }
} else {
  await writeFile(snapshotPath, snapshot)
}

async function snapshotOfFreshDatabase(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-snapshot-'))
  await chmod(dir, 0o755) // as root the server runs as another user, who has to get in
  const paths = [dir]
  try {
    await using server = await openEmbedded(dir, { settings: { fsync: 'off' } })
    paths.push(server.dataDir) // for root it may lie elsewhere
    const url = server.url('freshet')
    await migrate(url)
    return await takeSnapshot(url)
  } finally {
    for (const path of paths) await rm(path, { recursive: true, force: true })
  }
}

function firstDifference(kept: string, made: string): string {
  const [before, now] = [kept.split('\n'), made.split('\n')]
  const at = now.findIndex((line, index) => line !== before[index])
  const index = at < 0 ? now.length : at
  return `Line ${index + 1}:\n- ${before[index] ?? '(end)'}\n+ ${now[index] ?? '(end)'}`
}
