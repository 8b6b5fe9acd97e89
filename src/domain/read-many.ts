/** What was read of many things in one statement, in the order asked for. pg leaves 64-bit numbers as text, so keys compare as such. */
export function inOrder<Row>(
  keys: readonly (bigint | string)[],
  rows: readonly Row[],
  keyOf: (row: Row) => bigint | string | null,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [String(keyOf(row)), row]))
  return keys.map((key) => byKey.get(String(key)))
}

/** The same of things that were there a moment ago: one that is not any more fails, and the others are answered. */
export const allInOrder = <Row>(
  noun: string,
  keys: readonly (bigint | string)[],
  rows: readonly Row[],
  keyOf: (row: Row) => bigint | string,
): (Row | Error)[] => inOrder(keys, rows, keyOf).map((row, index) => row ?? new Error(`${noun} ${keys[index]} is gone`))

/**
 * A part of the list of each of many owners. Parts that differ in their owner alone are read in one statement: `read` is given
 * the owners and any one of these parts.
 */
export async function readPages<
  Owner extends string,
  Part extends Record<Owner, bigint>,
  Row extends Record<Owner, bigint>,
>(parts: readonly Part[], owner: Owner, read: (owners: bigint[], part: Part) => Promise<Row[]>): Promise<Row[][]> {
  const kindOf = (part: Part) =>
    JSON.stringify({ ...part, [owner]: null }, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
  const pages = new Map<Part, Row[]>()
  for (const alike of Map.groupBy(parts, kindOf).values()) {
    const owners = [...new Set(alike.map((part) => part[owner]))]
    const rows = Map.groupBy(await read(owners, alike[0]!), (row): bigint => row[owner])
    for (const part of alike) pages.set(part, rows.get(part[owner]) ?? [])
  }
  return parts.map((part) => pages.get(part) ?? [])
}
