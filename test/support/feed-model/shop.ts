import type { FeedFile } from './model.ts'
import type { Row } from './rules.ts'
import type { Change } from './steps.ts'

/** Beyond these a price starts again, so that many jumps leave it one. In cents. */
const [lowest, highest, usual] = [50, 50_000_000, 10_000]

/** A shop with a catalogue, and the files that its network makes of it, now and then with faults. */
export function aShop(size: number) {
  let catalogue: Row[] = Array.from({ length: size }, (_, index) => product(index + 1))
  let made = size
  let file: FeedFile = { content: 'file 0', mtime: 0, rows: catalogue, rejected: 0 }
  let files = 0

  /** The products that a change is about: so many from a place on, around the end. */
  function choose(from: number, count: number): Set<number> {
    const most = Math.min(count, catalogue.length)
    return new Set(Array.from({ length: most }, (_, index) => (from + index) % catalogue.length))
  }

  function say(change: Change): FeedFile {
    const { from, isLasting } = change
    const of = (count: number) => choose(from, count)
    const priced = choose(from, change.prices?.count ?? 0)
    const [currencies, titles, stock, originals] = [
      change.currencies,
      change.titles,
      change.stock,
      change.originals,
    ].map(of)
    files += 1
    const changed = catalogue.map((row, index): Row => {
      const price = priced.has(index) ? times(row.price, change.prices!.factor) : row.price
      return {
        ...row,
        price,
        currency: currencies!.has(index) ? other(row.currency) : row.currency,
        title: titles!.has(index) ? `${row.key} in file ${files}` : row.title,
        inStock: stock!.has(index) ? !row.inStock : row.inStock,
        original: originals!.has(index)
          ? price + 100 + files
          : row.original && row.original > price
            ? row.original
            : null,
      }
    })
    const added = Array.from({ length: change.added }, () => product(++made))
    if (isLasting) catalogue = [...changed, ...added]
    const [lost, byAddress, twice] = [of(change.lost), of(change.byAddress), of(change.twice)]
    const first = changed
      .filter((_, index) => twice.has(index))
      .map((row) => ({ ...row, price: row.price + 1, original: null }))
    const main = changed
      .map((row, index) => (byAddress.has(index) ? { ...row, key: `URL_HASH ${row.url}` } : row))
      .filter((_, index) => !lost.has(index))
    const rows = [...first, ...main, ...added]
    file = { content: `file ${files}`, mtime: 0, rows, rejected: change.rejected }
    return file
  }

  return {
    /** The file of a change as it lies on the server from now on; null: the one that lay there, put there anew or not. */
    serve(change: Change | null, now: number, isTouched: boolean): FeedFile {
      file = change ? say(change) : file
      if (change || isTouched || files === 0) file = { ...file, mtime: now }
      return file
    },
  }
}

function product(number: number): Row {
  const id = `p${number}`
  const url = `https://shop.example/${id}`
  const price = usual + number * 100
  return { key: `ID ${id}`, title: `Title of ${id}`, url, price, currency: 'USD', original: null, inStock: true }
}

function times(price: number, factor: number): number {
  const next = Math.round(price * factor)
  return next < lowest || next > highest ? usual : next
}

const other = (currency: string) => (currency === 'USD' ? 'EUR' : 'USD')
