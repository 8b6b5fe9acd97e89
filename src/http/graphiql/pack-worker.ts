import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { PackedAsset } from './assets.ts'

// The editor comes as one module of 9 MB. It is loaded here, in a thread that ends with its work, so that the server
// neither stands still while it is parsed and compressed nor keeps its text in memory.

type Source = { file: string; text: string }

/** Our own modules, each after those that it imports. */
const clientModules = ['key.js', 'stream.js', 'fetch.js', 'editor.js', 'bar.js', 'main.js']

const contentTypes = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['json', 'application/json'],
  ['svg', 'image/svg+xml'],
])

async function pack({ file, text }: Source): Promise<PackedAsset> {
  const bytes = Buffer.from(text)
  const [brotli, gzipped] = await Promise.all([
    // Quality 5 takes a third of the time of 9 for 5 % more bytes, and they travel once.
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    promisify(gzip)(bytes),
  ])
  const type = contentTypes.get(file.slice(file.lastIndexOf('.') + 1)) ?? 'application/octet-stream'
  return { file, name: hashedName(file, text), type, brotli, gzip: gzipped }
}

function hashedName(file: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return file.replace(/\.(\w+)$/, `.${hash}.$1`)
}

/** Points each import at the hashed name, so that a change below gives everything above it a new name too. */
function readClientModules(): Source[] {
  const names = new Map<string, string>()
  return clientModules.map((file) => {
    const text = readClient(file).replace(/from '\.\/([\w-]+\.js)'/g, (_, imported: string) => {
      const name = names.get(imported)
      if (!name) throw new Error(`client/${file} imports ${imported}, which must come before it in clientModules.`)
      return `from './${name}'`
    })
    names.set(file, hashedName(file, text))
    return { file, text }
  })
}

function readClient(file: string): string {
  return readFileSync(new URL(`./client/${file}`, import.meta.url), 'utf8')
}

const editor = await import('@graphql-yoga/render-graphiql/graphiql')
const sources = [
  { file: 'graphiql.js', text: editor.js },
  { file: 'graphiql.css', text: editor.css },
  { file: 'editor-worker.js', text: editor.editorWorkerService },
  { file: 'json-worker.js', text: editor.jsonWorker },
  { file: 'graphql-worker.js', text: editor.graphqlWorker },
  { file: 'bar.css', text: readClient('bar.css') },
  { file: 'favicon.svg', text: readClient('favicon.svg') },
  { file: 'operations.json', text: workerData as string },
  ...readClientModules(),
]
parentPort?.postMessage(await Promise.all(sources.map(pack)))
