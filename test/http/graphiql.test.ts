import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { getVariableValues, parse, validate, type OperationDefinitionNode } from 'graphql'
import { afterAll, expect, test, vi } from 'vitest'
import { prefersHtml } from '../../src/http/graphiql/accept.ts'
import { loadOperations } from '../../src/http/graphiql/operations.ts'
import { createGraphiql } from '../../src/http/graphiql/page.ts'
import { schema } from '../../src/schema/index.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer; text: string }

/** GraphiQL before a server that says "left over" to whatever GraphiQL does not take. */
async function setup(options: Partial<Parameters<typeof createGraphiql>[0]> = {}) {
  const graphiql = createGraphiql({ title: 'Freshet', endpoint: '/graphql', ...options })
  const server = createServer((incoming, response) => {
    if (!graphiql.handle(incoming, response)) response.writeHead(418).end('left over')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  /** Plain requests: fetch would tidy up paths and unpack bodies. */
  const ask = (path: string, { headers = { accept: browserAccept }, method = 'GET' }: RequestOptions = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const asking = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
        const body = Buffer.concat(await response.toArray())
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() })
      })
      asking.on('error', reject).end()
    })
  const assetUrls = async () => {
    const { text } = await ask('/graphql')
    return [...text.matchAll(/"(\/graphql\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '')
  }
  return { ask, assetUrls, [Symbol.asyncDispose]: async () => void server.close() }
}

const site = await setup()
afterAll(() => site[Symbol.asyncDispose]())

test('a browser gets a page of a few kilobytes, however many operations there are, that may only use this server', async () => {
  const { status, headers, body } = await site.ask('/graphql')
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'accept',
  })
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ])
  expect(body.length).toBeLessThan(4_000)
})

test('an unchanged page is not sent again', async () => {
  const { headers } = await site.ask('/graphql')
  const again = await site.ask('/graphql', { headers: { accept: browserAccept, 'if-none-match': headers.etag } })
  expect(again).toMatchObject({ status: 304, text: '' })
})

test('whatever the page and its styles load comes from its own assets', async () => {
  const { text } = await site.ask('/graphql')
  const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '')
  expect(loaded).toHaveLength(6)
  expect(loaded.filter((url) => !url.startsWith('/graphql/assets/'))).toEqual([])
  for (const url of loaded.filter((each) => each.endsWith('.css'))) {
    const style = await site.ask(url)
    expect(style.text.match(/@import|url\((?!["']?(data:|#))[^)]{0,80}/g)).toBeNull()
  }
})

test('every asset may be kept for good, under a name made from its content', async () => {
  const urls = await site.assetUrls()
  expect(urls).toHaveLength(10)
  for (const url of urls) {
    const asset = await site.ask(url)
    expect(asset.status).toBe(200)
    expect(asset.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    expect(url).toMatch(/\.[0-9a-f]{16}\.(js|css|svg|json)$/)
    const again = await site.ask(url, { headers: { 'if-none-match': asset.headers.etag } })
    expect(again).toMatchObject({ status: 304, text: '' })
  }
})

test('an asset travels in the smallest encoding that the client takes', async () => {
  const url = (await site.assetUrls()).find((each) => /graphiql\.\w+\.js$/.test(each)) ?? ''
  const { js } = await import('@graphql-yoga/render-graphiql/graphiql')
  const ask = (encoding: string) => site.ask(url, { headers: { 'accept-encoding': encoding } })

  const brotli = await ask('gzip, deflate, br, zstd')
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(brotli.body).toString() === js).toBe(true)
  expect(brotli.body.length).toBeLessThan(1_400_000)

  const gzip = await ask('gzip, br;q=0')
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gzip.body).toString() === js).toBe(true)

  const plain = await ask('identity')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.text === js).toBe(true)
})

test('the modules of the page import each other by their hashed names', async () => {
  const main = (await site.assetUrls()).find((url) => url.includes('/main.')) ?? ''
  const { text } = await site.ask(main)
  const imported = [...text.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => name ?? '')
  expect(imported.map((name) => name.split('.')[0])).toEqual(['bar', 'editor', 'fetch', 'key'])
  for (const name of imported) expect((await site.ask(`/graphql/assets/${name}`)).status).toBe(200)
})

test('nothing is loaded before the first request, and then once', async () => {
  let threads = 0
  const count = () => void threads++
  process.on('worker', count)
  await using site = await setup()
  expect(threads).toBe(0)
  await Promise.all([site.ask('/graphql'), site.ask('/graphql')])
  process.off('worker', count)
  expect(threads).toBe(1)
})

test('HEAD answers as GET does, without a body', async () => {
  const [asset = ''] = await site.assetUrls()
  for (const path of ['/graphql', '/graphql/', asset]) {
    const asked = { accept: browserAccept, 'accept-encoding': 'gzip' }
    const [head, get] = [
      await site.ask(path, { method: 'HEAD', headers: asked }),
      await site.ask(path, { headers: asked }),
    ]
    expect(head).toMatchObject({ status: 200, text: '' })
    const { date: _, ...headers } = get.headers
    expect(head.headers).toMatchObject(headers)
  }
})

test('what a program asks for is left to the API', async () => {
  const accepts = [
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'text/event-stream',
    'application/json, text/html',
    '',
  ]
  for (const accept of accepts)
    expect(await site.ask('/graphql', { headers: { accept } })).toMatchObject({ status: 418 })
  expect(await site.ask('/graphql?query={__typename}', { headers: {} })).toMatchObject({ status: 418 })
  for (const method of ['POST', 'OPTIONS', 'DELETE']) {
    expect(await site.ask('/graphql', { method, headers: { accept: browserAccept } })).toMatchObject({ status: 418 })
  }
  for (const path of ['/', '/healthz', '/graphqls', '/graphql/stream', '/graphql/assets', '/graphql/assets/']) {
    expect(await site.ask(path)).toMatchObject({ status: 418 })
  }
})

test('a path that leads out of the assets is left alone', async () => {
  const paths = [
    '../page.ts',
    '..%2fpage.ts',
    '%2e%2e/page.ts',
    'client/key.js',
    'main.js',
    '/etc/passwd',
    'key.0123456789abcdef.js/../x',
  ]
  for (const path of paths) expect(await site.ask(`/graphql/assets/${path}`)).toMatchObject({ status: 418 })
})

test('an asset of another version is not found, and that is not remembered', async () => {
  const { status, headers, text } = await site.ask('/graphql/assets/main.0123456789abcdef.js')
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/problem+json' })
  const detail = 'This file belongs to another version of the page. Reload the page.'
  expect({ status, body: JSON.parse(text) }).toMatchObject({
    status: 404,
    body: { status: 404, detail },
  })
})

test('a title is shown as text, and no operation can break out of the page', async () => {
  await using folder = await operationsFolder({
    '00-a.graphql': '# A\n\nquery A { a(text: "</script><script>alert(1)</script>") }',
  })
  await using site = await setup({ title: '<b>Shop & "Co"</b>', operationsFolder: folder.url })
  const { text } = await site.ask('/graphql')
  const operations = (await site.assetUrls()).find((url) => url.includes('/operations.')) ?? ''
  expect((await site.ask(operations)).headers['content-type']).toBe('application/json')
  expect(text).toContain('<title>&lt;b&gt;Shop &amp; &quot;Co&quot;&lt;/b&gt;</title>')
  expect(text).not.toContain('<b>')
  expect(text.match(/<script/g)).toHaveLength(3)
})

test('a page that cannot be made is reported, and made when the cause is gone', async () => {
  await using folder = await operationsFolder({ '00-a.graphql': 'query A { a }' })
  const errors: unknown[] = []
  await using site = await setup({ onError: (error) => errors.push(error), operationsFolder: folder.url })
  const failed = await site.ask('/graphql')
  expect(failed.status).toBe(500)
  expect(JSON.parse(failed.text)).toMatchObject({
    detail: 'GraphiQL could not be loaded. The log of the server says why.',
  })
  expect(errors).toEqual([
    new Error('00-a.graphql has no title: its first line must be "# " and what the drop-down shows.'),
  ])
  await writeFile(new URL('00-a.graphql', folder.url), '# A\nquery A { a }')
  expect(await site.ask('/graphql')).toMatchObject({ status: 200 })
})

test.each(loadOperations().map((operation) => [operation.file, operation] as const))(
  'the ready-made operation %s fits the schema',
  (_file, { query, variables }) => {
    const document = parse(query)
    expect(validate(schema, document)).toEqual([])
    const [operation, ...others] = document.definitions as OperationDefinitionNode[]
    expect(operation?.name?.value).toBeTruthy() // GraphiQL names the tab after it
    expect(others).toEqual([])
    const given = variables === '' ? {} : (JSON.parse(variables) as Record<string, unknown>)
    expect(getVariableValues(schema, operation?.variableDefinitions ?? [], given).errors).toBeUndefined()
    expect(Object.keys(given)).toEqual(operation?.variableDefinitions?.map(({ variable }) => variable.name.value))
  },
)

test('the drop-down offers each thing once, in the order of the files', () => {
  const titles = loadOperations().map(({ title }) => title)
  expect(titles.slice(0, 3)).toEqual([
    'Welcome to Freshet',
    'Retailers: list retailers with their sources',
    'Retailers: create a retailer',
  ])
  expect(titles).toContain('Sources: create a source')
  expect(titles).toContain('Access: create a key')
  expect(new Set(titles).size).toBe(titles.length)
})

test('an operation is read with its title, its explanation and its variables', async () => {
  await using folder = await operationsFolder({
    '20-bs/10-b.graphql': '# Second: b\nquery B { b }\n',
    '10-as/20-a.graphql': '# First: a\n# Says what\n# it does.\n\nquery A($x: Int) { a(x: $x) }\n',
    '10-as/20-a.variables.json': '{ "x": 1 }\n',
    'README.md': 'not an operation',
  })
  const a = '# First: a\n# Says what\n# it does.\n\nquery A($x: Int) { a(x: $x) }\n'
  expect(loadOperations(folder.url)).toEqual([
    {
      file: '10-as/20-a.graphql',
      title: 'First: a',
      explanation: 'Says what it does.',
      query: a,
      variables: '{ "x": 1 }',
    },
    {
      file: '20-bs/10-b.graphql',
      title: 'Second: b',
      explanation: '',
      query: '# Second: b\nquery B { b }\n',
      variables: '',
    },
  ])
})

test.each([
  [browserAccept, true],
  ['text/html', true],
  ['TEXT/HTML;q=0.5', true],
  ['text/html, application/json', true],
  ['application/json, text/html', false],
  ['text/html;q=0.5, application/json', false],
  ['text/html;q=0.9, application/json;q=0.5', true],
  ['text/html;q=0', false],
  ['text/event-stream', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
])('an Accept of %s prefers a page: %s', (accept, wanted) => {
  expect(prefersHtml(accept)).toBe(wanted)
})

async function operationsFolder(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'freshet-operations-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { url: pathToFileURL(`${path}/`), [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('the key of a tab is kept in its session and nowhere else', async () => {
  const storage = () => {
    const kept = new Map<string, string>()
    return {
      kept,
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    }
  }
  const [session, local] = [storage(), storage()]
  vi.stubGlobal('sessionStorage', session)
  vi.stubGlobal('localStorage', local)
  try {
    const path = '../../src/http/graphiql/client/key.js'
    const tab = (await import(path)) as Record<
      'setKey' | 'forgetKey' | 'readKey',
      (text?: string) => string | undefined
    >
    const key = `frs_${'k'.repeat(43)}`
    expect(tab.setKey('frs_short')).toBe('not a whole key: frs_ and 43 characters')
    expect(session.kept.size).toBe(0)
    expect(tab.setKey(` Bearer ${key} `)).toBeUndefined()
    expect([[...session.kept.values()], local.kept.size]).toEqual([[key], 0])
    expect(tab.readKey()).toBe(key)
    tab.forgetKey()
    expect(session.kept.size).toBe(0)
  } finally {
    vi.unstubAllGlobals()
  }
})
