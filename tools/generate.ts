import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generatePrisma } from './generate-prisma.ts'

// Makes every file that is made from others. With --prisma only the client, which the program needs to start.
const root = fileURLToPath(new URL('..', import.meta.url))
generatePrisma()
if (!process.argv.includes('--prisma')) {
  const { generatedTexts } = await import('./generated.ts')
  for (const [path, make] of Object.entries(generatedTexts)) writeFileSync(root + path, make())
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  run('node_modules/@graphql-codegen/cli/esm/bin.js', '--silent')
  run('tools/snapshot.ts')
}
