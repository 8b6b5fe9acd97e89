import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = `${root}src/db/generated/stamp`

/** Makes the Prisma client and the Pothos types, unless they were made from this very schema by this very version. */
export function generatePrisma(): void {
  const versions = ['prisma', '@pothos/plugin-prisma'].map((name) =>
    readFileSync(`${root}node_modules/${name}/package.json`, 'utf8'),
  )
  const hash = createHash('sha256')
    .update(readFileSync(`${root}prisma/schema.prisma`))
    .update(versions.join())
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  // The generators are found by name, as npm scripts would find them.
  const env = { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env.PATH}` }
  const args = [`${root}node_modules/prisma/build/index.js`, 'generate', '--no-hints']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`prisma generate failed:\n${stdout}${stderr}`)
  writeFileSync(stamp, hash)
}
