import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// Everything that can be said of the code without running it. All steps run, so that one call shows all there is to mend.
const root = fileURLToPath(new URL('..', import.meta.url))
const steps: Record<string, string[]> = {
  'generated files': ['node', 'tools/check-generated.ts'],
  types: ['tsc', '--noEmit'],
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  formatting: ['oxfmt', '--check', '.'],
}
const failed = Object.entries(steps).filter(([name, [command = '', ...args]]) => {
  const { status, stdout, stderr } = spawnSync(`${root}node_modules/.bin/${command}`, args, {
    cwd: root,
    encoding: 'utf8',
  })
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`)
  if (status !== 0) console.log(`${stdout}${stderr}`)
  return status !== 0
})
if (failed.length > 0) {
  console.log(
    `\n${failed.map(([name]) => name).join(', ')}: see above. "npm run generate" and "npm run format" mend what can be mended by themselves.`,
  )
  process.exitCode = 1
}
