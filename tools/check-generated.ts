import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generatePrisma } from './generate-prisma.ts'

// Fails when a committed file no longer says what the code says. Writes nothing into the tree but the Prisma client.
const root = fileURLToPath(new URL('..', import.meta.url))
generatePrisma()
const { generatedTexts } = await import('./generated.ts')
const stale = Object.entries(generatedTexts)
  .filter(([path, make]) => !existsSync(root + path) || readFileSync(root + path, 'utf8') !== make())
  .map(([path]) => path)

if (spawnSync(process.execPath, ['tools/snapshot.ts', '--check'], { cwd: root, stdio: 'inherit' }).status !== 0)
  stale.push('sql/schema.snapshot.sql')

const codegen = ['node_modules/@graphql-codegen/cli/esm/bin.js', '--silent', '--check']
if (spawnSync(process.execPath, codegen, { cwd: root, stdio: 'ignore' }).status !== 0)
  stale.push('test/support/generated')

if (stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run "npm run generate" and commit what it changes.`)
  process.exitCode = 1
}
