/** The kinds of values that a column may take, by how Postgres reads them in its binary COPY format. */
export type ColumnKind = 'int4' | 'text' | 'bytea' | 'bool' | 'numeric' | 'jsonb'
export type Cell = number | string | Uint8Array | boolean | null

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')

/**
 * Writes rows in Postgres's binary COPY format, which costs the server half of what text does. Numbers with decimals are given
 * as their digits and stay exact. An enum's value is its name, as text.
 */
export function encodeRows(kinds: ColumnKind[], rows: Iterable<Cell[]>): Buffer {
  const out = new Writer()
  out.bytes(signature)
  out.int32(0)
  out.int32(0)
  for (const row of rows) {
    out.int16(kinds.length)
    for (const [index, kind] of kinds.entries()) {
      const cell = row[index]
      if (cell === null || cell === undefined) out.int32(-1)
      else write[kind](out, cell)
    }
  }
  out.int16(-1)
  return out.finish()
}

const write: Record<ColumnKind, (out: Writer, cell: NonNullable<Cell>) => void> = {
  int4(out, cell) {
    out.int32(4)
    out.int32(cell as number)
  },
  bool(out, cell) {
    out.int32(1)
    out.int8(cell ? 1 : 0)
  },
  text: (out, cell) => out.text(cell as string),
  bytea(out, cell) {
    const bytes = cell as Uint8Array
    out.int32(bytes.length)
    out.bytes(bytes)
  },
  jsonb: (out, cell) => out.text(`\x01${cell as string}`), // the format's version
  numeric: (out, cell) => writeNumeric(out, cell as string),
}

/** Postgres keeps a number as digits to the base 10,000, counted from the decimal point. */
function writeNumeric(out: Writer, text: string): void {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? fail(text)
  const left = whole.replace(/^0+/, '')
  const padded =
    left.padStart(Math.ceil(left.length / 4) * 4, '0') + fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')
  const digits = Array.from({ length: padded.length / 4 }, (_, index) => Number(padded.slice(index * 4, index * 4 + 4)))
  let weight = Math.ceil(left.length / 4) - 1
  while (digits[0] === 0) {
    digits.shift()
    weight -= 1
  }
  while (digits.at(-1) === 0) digits.pop()
  out.int32(8 + digits.length * 2)
  out.int16(digits.length)
  out.int16(digits.length === 0 ? 0 : weight)
  out.int16(sign === '-' && digits.length > 0 ? 0x4000 : 0)
  out.int16(fraction.length)
  for (const digit of digits) out.int16(digit)
}

function fail(text: string): never {
  throw new Error(`"${text.slice(0, 50)}" is no plain decimal number.`)
}

/** A buffer that grows. */
class Writer {
  #buffer = Buffer.allocUnsafe(1 << 20)
  #length = 0

  #room(bytes: number): number {
    const at = this.#length
    this.#length += bytes
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length))
      this.#buffer.copy(larger, 0, 0, at)
      this.#buffer = larger
    }
    return at
  }

  int8(value: number): void {
    const at = this.#room(1)
    this.#buffer[at] = value
  }

  int16(value: number): void {
    const at = this.#room(2)
    this.#buffer.writeInt16BE(value, at)
  }

  int32(value: number): void {
    const at = this.#room(4)
    this.#buffer.writeInt32BE(value, at)
  }

  bytes(value: Uint8Array): void {
    const at = this.#room(value.length)
    this.#buffer.set(value, at)
  }

  /** A string with its length before it, encoded in place. */
  text(value: string): void {
    const most = value.length * 3
    const at = this.#room(4 + most)
    const length = this.#buffer.write(value, at + 4, 'utf8')
    this.#buffer.writeInt32BE(length, at)
    this.#length -= most - length
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}
