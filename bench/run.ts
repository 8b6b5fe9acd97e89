import { readdirSync } from 'node:fs'

// npm run bench [name]: runs one bench, or all. Each prints what it saw; its last line is `RESULT {json}`.
const names = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${names.join(', ')}.`)
  process.exitCode = 2
} else {
  for (const name of wanted.length > 0 ? wanted : names) {
    console.log(`\n== ${name}`)
    const { run } = (await import(`./${name}.bench.ts`)) as { run: () => Promise<object> }
    console.log(`RESULT ${JSON.stringify({ bench: name, ...(await run()) })}`)
  }
}
