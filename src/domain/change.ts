import { Prisma } from '../db/generated/client/client.ts'
import type { Db, Tx } from '../db/prisma.ts'
import type { Actor } from './access/actor.ts'
import type { ActionOn } from './access/audit-action.ts'
import { audit, changedFields, hasChanges } from './access/audit.ts'
import { notFound } from './errors.ts'

/** The models whose rows are changed one at a time: what people call such a row, where it lies, and how Prisma reaches it. */
const models = {
  Retailer: { noun: 'retailer', table: 'freshet.retailers', rows: (tx: Tx) => tx.retailer },
  Source: { noun: 'source', table: 'freshet.sources', rows: (tx: Tx) => tx.source },
  Schedule: { noun: 'schedule', table: 'freshet.schedules', rows: (tx: Tx) => tx.schedule },
  Alert: { noun: 'alert', table: 'freshet.alerts', rows: (tx: Tx) => tx.alert },
}

type Model = keyof typeof models
type Row<Of extends Model> = Prisma.TypeMap['model'][Of]['payload']['scalars']
type Data<Of extends Model> = Prisma.TypeMap['model'][Of]['operations']['update']['args']['data']

/** What Prisma offers for each model in types of its own. */
type Rows<Of extends Model> = {
  findUnique(args: { where: { id: bigint } }): Promise<Row<Of> | null>
  update(args: { where: { id: bigint }; data: Data<Of> }): Promise<unknown>
}

type RowChange<Of extends Model> = {
  model: Of
  id: bigint
  /** Which field of the input named the row: it is told where there is no such row. */
  field: string
  action: ActionOn<Of>
  /** What the row shall be. A field that is left out or undefined stays. */
  decide: (before: Row<Of>) => Data<Of>
  /** Fields whose values nobody may read in the record: it says that they changed. */
  secret?: readonly (string & keyof Data<Of>)[]
  /**
   * What else a change does in its transaction, before and after the row is written: it calls `write` once. Fields that it hands
   * on are written, too, unrecorded. Not asked where nothing changes.
   */
  around?: ((tx: Tx, write: (more?: Data<Of>) => Promise<void>) => Promise<void>) | undefined
}

/**
 * Reads a row under its lock, changes what `decide` says and records the difference, in one transaction; where there is no
 * difference it records that alone. Answers the row's id.
 */
export async function changeRow<Of extends Model>(
  db: Db,
  actor: Actor,
  { model, id, field, action, decide, secret, around }: RowChange<Of>,
): Promise<bigint> {
  const { noun, table, rows } = models[model]
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`select from ${Prisma.raw(table)} where id = ${id} for no key update`
    const found = rows(tx) as unknown as Rows<Of>
    const before = await found.findUnique({ where: { id } })
    if (!before) throw notFound(noun, field)
    const data = decide(before)
    const changes = changedFields(before, data, secret)
    await audit(tx, actor, { action, objectType: model, objectId: id, changes })
    const write = async (more?: Data<Of>) => void (await found.update({ where: { id }, data: { ...data, ...more } }))
    if (hasChanges(changes)) await (around ? around(tx, write) : write())
    return id
  })
}
