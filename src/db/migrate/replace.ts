import type { ClientBase } from 'pg'
import { readQuery } from '../query.ts'
import { failureOf, isStatementError } from './errors.ts'
import type { ReplaceableFile } from './files.ts'
import { programVersion, type MigrationPlan } from './plan.ts'
import type { OnStep } from './step.ts'

/** Applies functions, views and triggers and drops those whose file left, inside the transaction that is open. */
export async function applyReplaceables(client: ClientBase, plan: MigrationPlan, objects: string[], onStep: OnStep) {
  const present = new Set(objects)
  const ofKind = (kind: string) => plan.drops.filter((object) => object.startsWith(`${kind} `))
  // Bodies are looked at once all is there, so that no function has to come before another.
  await client.query('set local check_function_bodies = off')
  for (const trigger of ofKind('trigger')) await dropObjects(client, [trigger], onStep)
  for (const { file } of plan.replaceables) {
    await onStep({ kind: file.kind, name: file.path })
    await applyFile(client, file, present)
  }
  // Only now is nothing left that uses them. One statement for each kind, as they may use one another.
  await dropObjects(client, ofKind('view'), onStep)
  await dropObjects(client, ofKind('function'), onStep)
  await record(client, plan)
}

async function applyFile(client: ClientBase, file: ReplaceableFile, present: Set<string>) {
  try {
    const existing = file.objects.filter((object) => present.has(object))
    if (existing.length === 0) await client.query(file.text)
    else if (file.kind === 'trigger') await replaceTriggers(client, file, present)
    else await replaceObject(client, file)
  } catch (error) {
    throw failureOf(file, error)
  }
}

/** Postgres replaces ordinary triggers in place; constraint triggers have to go first. */
async function replaceTriggers(client: ClientBase, file: ReplaceableFile, present: Set<string>) {
  for (const [index, { plain }] of file.statements.entries()) {
    const object = file.objects[index]
    if (object && present.has(object) && !/^create or replace /i.test(plain))
      await client.query(dropStatement([object]))
  }
  await client.query(file.text)
}

/** Another return type, parameter name or column list cannot be replaced in place: then the old one goes first. */
const cannotReplace = new Set(['42P13', '42P16', '42809'])

async function replaceObject(client: ClientBase, file: ReplaceableFile) {
  const before = await routinesOf(client, file)
  await client.query('savepoint replacing')
  try {
    await client.query(file.text)
  } catch (error) {
    if (!isStatementError(error) || !cannotReplace.has(error.code)) throw error
    await client.query('rollback to savepoint replacing')
    await dropBefore(client, file, before)
    await client.query(file.text)
    return
  }
  const after = await routinesOf(client, file)
  // Other parameter types made a second function beside the first: there are no overloads.
  if (after.length > 1) await dropBefore(client, file, before)
}

async function dropBefore(client: ClientBase, file: ReplaceableFile, routines: string[]) {
  const statement = file.kind === 'view' ? dropStatement(file.objects) : `drop routine ${routines.join(', ')}`
  await client.query(statement).catch((error: unknown) => {
    throw refusedDrop(file, error)
  })
}

/** The signatures that a function's name has in the database, quoted and with their schema. */
async function routinesOf(client: ClientBase, file: ReplaceableFile): Promise<string[]> {
  if (file.kind !== 'function') return []
  return signaturesOf(client, file.objects)
}

async function signaturesOf(client: ClientBase, functions: string[]): Promise<string[]> {
  const names = functions.map((object) => object.split(' ')[1])
  const { rows } = await client.query<{ signature: string }>(readQuery('function_signatures'), [names])
  return rows.map(({ signature }) => signature)
}

async function dropObjects(client: ClientBase, objects: string[], onStep: OnStep) {
  if (objects.length === 0) return
  for (const name of objects) await onStep({ kind: 'drop', name })
  const isFunction = objects[0]?.startsWith('function ')
  const statement = isFunction
    ? `drop routine ${(await signaturesOf(client, objects)).join(', ')}`
    : dropStatement(objects)
  await client.query(statement).catch((error: unknown) => {
    throw refusedDrop({ path: objects.join(', '), text: '' }, error)
  })
}

function dropStatement(objects: string[]): string {
  const [trigger] = objects
  const [, name, , table] = trigger?.split(' ') ?? []
  if (trigger?.startsWith('trigger ')) return `drop trigger ${name} on freshet.${table}`
  return `drop view ${objects.map((object) => `freshet.${object.split(' ')[1]}`).join(', ')}`
}

function refusedDrop(file: { path: string; text: string }, error: unknown): unknown {
  if (isStatementError(error) && error.code === '2BP01') {
    error.message += '. Let a migration drop what depends on it: views and triggers come back from their files'
  }
  return failureOf(file, error)
}

/** Has Postgres read the body of every function, also of those that a migration may have left without a column. */
export async function checkFunctions(client: ClientBase, files: ReplaceableFile[], onStep: OnStep) {
  await onStep({ kind: 'check', name: 'functions' })
  await client.query('set local check_function_bodies = on')
  const { rows } = await client.query<{ name: string; statement: string }>(readQuery('function_checks'))
  const byName = new Map(files.flatMap((file) => file.objects.map((object) => [object, file])))
  for (const { name, statement } of rows) {
    await client.query(statement).catch((error: unknown) => {
      throw failureOf(byName.get(`function ${name}`) ?? { path: `function freshet.${name}`, text: '' }, error)
    })
  }
}

async function record(client: ClientBase, plan: MigrationPlan) {
  await client.query('delete from freshet.applied_sql where path = any ($1)', [plan.goneFiles])
  const text = readQuery('record_applied_sql')
  for (const { file } of plan.replaceables) {
    await client.query(text, [file.path, file.hash, file.objects, programVersion])
  }
}
