import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** The file as it was first; with the same products but another text in a column that nobody reads; with 5 % of them changed. */
export type Edition = 'first' | 'same' | 'changed'

const header =
  'CatalogItemId,Name,Description,Url,ImageUrl,CurrentPrice,OriginalPrice,Currency,StockAvailability,Manufacturer,Category,Gtin,Labels'

const words =
  `trail running shoe waterproof jacket merino wool base layer carbon trekking pole insulated bottle ultralight tent sleeping bag
  headlamp climbing harness dynamic rope alpine pack softshell vest thermal glove cycling helmet gravel tyre saddle hydraulic brake
  camping stove titanium mug folding chair hammock compass whistle blanket paddle kayak wetsuit snorkel fin goggle ski binding boot`.split(
    /\s+/,
  )

/** So many words that look drawn at random, and are the same each time. */
function text(seed: number, count: number): string {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  const drawn: string[] = []
  for (let n = 0; n < count; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    drawn.push(words[(state >>> 16) % words.length] as string)
  }
  return drawn.join(' ')
}

/** Every 1,000th row names a product once more: one of its own chunk, or of one long before. */
const repeated = (row: number): number => {
  if (row % 1_000 !== 500) return row
  return row % 2_000 === 500 || row < 60_000 ? row - 100 : row - 50_000
}

/** Row by row as Impact writes it: about 600 bytes, a fifth of the rows with quotes, one in 500 without a price. */
export function rowOf(row: number, edition: Edition): string {
  const item = repeated(row)
  const isChanged = edition === 'changed' && item % 20 === 7
  const name = `${text(item, 6)} ${item}${isChanged && item % 100 === 7 ? ' new' : ''}`
  const slug = `${text(item, 3).replaceAll(' ', '-')}-${item}`
  const cents = 500 + ((item * 7_919) % 90_000)
  const price = row % 500 === 250 ? 'POA' : ((isChanged ? cents + 150 : cents) / 100).toFixed(2)
  const page = encodeURIComponent(`https://www.outfitter.example/products/${slug}?variant=${item * 31}`)
  const description = text(item + 7, 27)
  const isQuoted = row % 5 === 0
  return [
    `outfitter_${item}`,
    isQuoted ? `"${name}, 6"" wide"` : name,
    isQuoted ? `"${description}, and more"` : description,
    `https://outfitter.pxf.io/c/YOURUSERID/1234567/9876?prodsku=${item}&u=${page}&intsrc=APIG_9876`,
    `https://cdn.outfitter.example/images/${item % 100}/${slug}.jpg`,
    price,
    item % 3 === 0 ? ((cents + 2_000) / 100).toFixed(2) : '',
    'USD',
    item % 17 === 0 ? 'OutOfStock' : 'InStock',
    `Brand ${item % 400}`,
    `Outdoor > ${text(item % 60, 1)} > ${text(item % 300, 2)}`,
    item % 2 === 0 ? String(400_000_000_000 + item) : '',
    edition === 'first' ? 'a' : 'b',
  ].join(',')
}

function* lines(rows: number, edition: Edition): Generator<string> {
  yield `${header}\n`
  for (let from = 0; from < rows; from += 1_000) {
    let piece = ''
    for (let row = from; row < Math.min(rows, from + 1_000); row++) piece += `${rowOf(row, edition)}\n`
    yield piece
  }
}

/** A folder of such files, gone in the end; each is made when it is first asked for. */
export async function openFeedFiles() {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-bench-files-'))
  const made = new Map<string, Promise<string>>()
  const make = async (path: string, rows: number, edition: Edition) => {
    await pipeline(Readable.from(lines(rows, edition)), createGzip({ level: 3 }), createWriteStream(path))
    return path
  }
  const path = (rows: number, edition: Edition): Promise<string> => {
    const name = join(dir, `${edition}-${rows}.csv.gz`)
    const known = made.get(name) ?? make(name, rows, edition)
    made.set(name, known)
    return known
  }
  return {
    path,
    open: async (rows: number, edition: Edition): Promise<FileHandle> => open(await path(rows, edition)),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

export type FeedFiles = Awaited<ReturnType<typeof openFeedFiles>>
