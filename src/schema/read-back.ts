type Rows<Query, Row> = { findUniqueOrThrow: (args: Query & { where: { id: bigint } }) => Promise<Row> }

/** What a mutation answers: the row that it made or changed, as it is now, with what the client asked for of it. */
export async function readBack<Query extends object, Row>(
  rows: Rows<Query, Row>,
  query: Query,
  changing: Promise<bigint>,
): Promise<Row> {
  return rows.findUniqueOrThrow({ ...query, where: { id: await changing } })
}
