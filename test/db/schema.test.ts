import { afterAll, expect, test } from 'vitest'
import { getDatamodel } from '../../src/db/generated/pothos.ts'
import * as generatedEnums from '../../src/db/generated/client/enums.ts'
import { cloneDatabase } from '../support/database.ts'
import { readPrismaSchema } from './fixtures/prisma-schema.ts'

const tablesWithoutModel = ['applied_sql', 'migrations']

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const schema = await readPrismaSchema()
const { models } = getDatamodel().datamodel
const modelOf = (name: string) => {
  const model = models[name]
  if (!model) throw new Error(`The generated datamodel has no ${name}: run npm run generate`)
  return model
}

const rowsOf = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(sql, values)).rows

type Column = { table: string; column: string; type: string; isList: boolean; isRequired: boolean; hasDefault: boolean }

const columns = await rowsOf<Column>(
  `
  select c.relname as table, a.attname as column,
    format_type(coalesce(nullif(t.typelem, 0), t.oid), case when t.typcategory = 'A' then -1 else a.atttypmod end) as type,
    t.typcategory = 'A' as "isList", a.attnotnull as "isRequired", (a.atthasdef or a.attidentity <> '') as "hasDefault"
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'freshet'::regnamespace and a.attnum > 0 and not a.attisdropped and c.relname <> all ($1)
  order by c.relname, a.attname`,
  [tablesWithoutModel],
)

/** The type a column has in Postgres, by Prisma's type and native type. */
const types: Record<string, string> = {
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  'DateTime Date': 'date',
  'DateTime Timestamptz(6)': 'timestamp with time zone',
  'Decimal Decimal': 'numeric',
  Float: 'double precision',
  'Float Real': 'real',
  Int: 'integer',
  'Int SmallInt': 'smallint',
  Json: 'jsonb',
  String: 'text',
  'String Uuid': 'uuid',
}

function typeOf(field: { type: string; isUnsupported: boolean; nativeType: string | undefined }): string {
  if (field.isUnsupported) return field.type
  const named = schema.enums.find(({ name }) => name === field.type)
  if (named) return `freshet.${named.type}`
  const decimal = /^Decimal\((\d+), ?(\d+)\)$/.exec(field.nativeType ?? '')
  if (decimal) return `numeric(${decimal[1]},${decimal[2]})`
  const key = [field.type, field.nativeType].filter(Boolean).join(' ')
  const type = types[key]
  if (!type) throw new Error(`This test does not know the type of ${key}: add it to the list`)
  return type
}

test('the generated datamodel is that of schema.prisma', () => {
  const names = (fields: readonly { name: string; type: string }[]) => fields.map(({ name, type }) => `${name} ${type}`)
  expect(Object.keys(models)).toEqual(schema.models.map(({ name }) => name))
  const inSchema = schema.models.map(({ fields }) => names(fields.filter(({ isUnsupported }) => !isUnsupported)))
  expect(schema.models.map(({ name }) => names(modelOf(name).fields))).toEqual(inSchema)
})

test('every table has a model or is listed here, and every model a table', async () => {
  const tables = await rowsOf<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'freshet'::regnamespace and relkind in ('r', 'p') and not relispartition",
  )
  expect(tables.map(({ name }) => name).toSorted()).toEqual(
    [...schema.models.map(({ table }) => table), ...tablesWithoutModel].toSorted(),
  )
})

test('every column is in its model and every field in its table, with type, list, nullability and default', () => {
  const expected = schema.models.flatMap(({ name, table, fields }) =>
    fields.flatMap((field): Column | [] => {
      const generated = modelOf(name).fields.find((other) => other.name === field.name)
      if (generated?.kind === 'object') return []
      if (!generated) return { ...columnOf(table, field.column), type: typeOf(field) }
      const { isList, isRequired, hasDefaultValue } = generated
      return { table, column: field.column, type: typeOf(field), isList, isRequired, hasDefault: hasDefaultValue }
    }),
  )
  const inOrder = (list: Column[]) =>
    list.toSorted((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1))
  expect(inOrder(columns)).toEqual(inOrder(expected))
})

/** Of a type that Prisma does not support the datamodel says nothing: only name and type can be compared. */
function columnOf(table: string, column: string): Column {
  const found = columns.find((other) => other.table === table && other.column === column)
  if (!found) throw new Error(`${table}.${column} is in schema.prisma and not in the database`)
  return found
}

test('every enum has the same values in the same order', async () => {
  const types = await rowsOf<{ type: string; values: string[] }>(`
    select t.typname as type, array_agg(e.enumlabel::text order by e.enumsortorder) as values
    from pg_type t join pg_enum e on e.enumtypid = t.oid
    where t.typnamespace = 'freshet'::regnamespace group by t.typname order by t.typname`)
  expect(types).toEqual(
    schema.enums.map(({ type, values }) => ({ type, values })).toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  )
  const generated: Record<string, object> = { ...generatedEnums }
  const valuesOf = (name: string) => Object.values(generated[name] ?? {})
  expect(schema.enums.map(({ name }) => [name, valuesOf(name)])).toEqual(
    schema.enums.map(({ name, values }) => [name, values]),
  )
})

test('every key is unique on both sides, composite ones too', async () => {
  const keys = await rowsOf<{ table: string; columns: string[] }>(
    `
    select c.relname as table, array(
      select a.attname::text from unnest(i.indkey) with ordinality k (attnum, position)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where k.position <= i.indnkeyatts order by a.attname
    ) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'freshet'::regnamespace and i.indisunique and i.indpred is null and i.indexprs is null
      and not c.relispartition and c.relname <> all ($1)`,
    [tablesWithoutModel],
  )
  const expected = schema.models.flatMap(({ name, table, fields }) => {
    const model = modelOf(name)
    const single = model.fields.filter(({ isId, isUnique }) => isId || isUnique).map((field) => [field.name])
    const composite = [...model.uniqueIndexes, ...(model.primaryKey ? [model.primaryKey] : [])].map((key) => [
      ...key.fields,
    ])
    const columnName = (field: string) => fields.find((other) => other.name === field)?.column ?? field
    return [...single, ...composite].map((key) => `${table} (${key.map(columnName).toSorted().join(', ')})`)
  })
  expect(keys.map((key) => `${key.table} (${key.columns.join(', ')})`).toSorted()).toEqual(expected.toSorted())
})

test('every relation is a foreign key with the same rule for deletion, and every foreign key a relation', async () => {
  const keys = await rowsOf<{ table: string; columns: string[]; rule: string }>(`
    select conrelid::regclass::text as table, confdeltype as rule, array(
      select a.attname::text from unnest(conkey) with ordinality k (attnum, position)
      join pg_attribute a on a.attrelid = conrelid and a.attnum = k.attnum order by k.position
    ) as columns
    from pg_constraint where connamespace = 'freshet'::regnamespace and contype = 'f' and conparentid = 0`)
  const rules: Record<string, string> = { r: 'Restrict', c: 'Cascade', n: 'SetNull', d: 'SetDefault', a: 'NoAction' }
  const expected = schema.models.flatMap(({ table, fields }) =>
    fields.flatMap(({ relation }) => {
      const columnName = (field: string) => fields.find((other) => other.name === field)?.column
      return relation ? `freshet.${table} (${relation.fields.map(columnName).join(', ')}) ${relation.onDelete}` : []
    }),
  )
  expect(keys.map((key) => `${key.table} (${key.columns.join(', ')}) ${rules[key.rule]}`).toSorted()).toEqual(
    expected.toSorted(),
  )
})
