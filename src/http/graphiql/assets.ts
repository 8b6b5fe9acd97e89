import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Worker } from 'node:worker_threads'
import { createGunzip } from 'node:zlib'
import { chooseEncoding } from './accept.ts'
import type { ReadyMadeOperation } from './operations.ts'

/** A file of the page, compressed once; `name` carries the hash of its content. */
export type PackedAsset = { file: string; name: string; type: string; brotli: Uint8Array; gzip: Uint8Array }

export type Assets = {
  /** The address of a file, under the endpoint. */
  urlOf(file: string): string
  /** The asset of a hashed name, as it stands in an address. */
  named(name: string): PackedAsset | undefined
}

/** Loads, hashes and compresses the page's files in a thread of their own; the operations that it offers are one of them. */
export async function packAssets(baseUrl: string, operations: ReadyMadeOperation[]): Promise<Assets> {
  const offered = operations.map(({ title, explanation, query, variables }) => ({
    title,
    explanation,
    query,
    variables,
  }))
  const worker = new Worker(new URL('./pack-worker.ts', import.meta.url), { workerData: JSON.stringify(offered) })
  worker.unref() // a server that stops meanwhile does not wait for it
  const [packed] = (await once(worker, 'message')) as [PackedAsset[]]
  const byName = new Map(packed.map((asset) => [asset.name, asset]))
  const byFile = new Map(packed.map((asset) => [asset.file, asset]))
  return {
    urlOf(file) {
      const asset = byFile.get(file)
      if (!asset) throw new Error(`The GraphiQL page has no file ${file}.`)
      return `${baseUrl}/${asset.name}`
    },
    named: (name) => byName.get(name),
  }
}

/** Sends an asset for good: its name changes whenever its content does. */
export function sendAsset(asset: PackedAsset, request: IncomingMessage, response: ServerResponse): void {
  const etag = `W/"${asset.name}"` // weak: the same for every encoding
  response.setHeader('cache-control', 'public, max-age=31536000, immutable')
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'") // rules the workers
  response.setHeader('cross-origin-resource-policy', 'same-origin')
  response.setHeader('etag', etag)
  response.setHeader('vary', 'accept-encoding')
  response.setHeader('x-content-type-options', 'nosniff')
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  response.setHeader('content-type', asset.type)
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (encoding === 'identity') {
    response.writeHead(200)
    if (request.method === 'HEAD') response.end()
    else inflate(asset, response)
    return
  }
  const body = encoding === 'br' ? asset.brotli : asset.gzip
  response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.byteLength })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Nothing is kept uncompressed: a client that takes neither encoding is rare, and may wait a little. */
function inflate(asset: PackedAsset, response: ServerResponse): void {
  const gunzip = createGunzip()
  gunzip.pipe(response)
  response.once('close', () => gunzip.destroy())
  gunzip.end(asset.gzip)
}
