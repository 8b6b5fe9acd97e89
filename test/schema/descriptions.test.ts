import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/schema/index.ts'

type Described = { name: string; description?: string | null | undefined }

const own = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
)

/** Everything of a type that a reader may ask about, by its path. */
const parts = own.flatMap((type) => {
  const inside: [string, Described][] = [[type.name, type]]
  const add = (part: Described) => inside.push([`${type.name}.${part.name}`, part])
  if (isEnumType(type)) type.getValues().forEach(add)
  if (isInputObjectType(type)) Object.values(type.getFields()).forEach(add)
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      add(field)
      for (const arg of field.args) inside.push([`${type.name}.${field.name}(${arg.name})`, arg])
    }
  }
  return inside
})

test('every type, field, argument, enum value and input field is described', () => {
  expect(parts.length).toBeGreaterThan(150)
  expect(parts.filter(([, { description }]) => !description?.trim()).map(([path]) => path)).toEqual([])
})

test('every description is a sentence', () => {
  const odd = parts.filter(([, { description }]) => !/^[A-Z`a-z].*[.]$/s.test(description ?? ''))
  expect(odd.map(([path, { description }]) => `${path}: ${description}`)).toEqual([])
})

test('every list of objects is a connection or says how long it may get', () => {
  const lists = own
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })))
    .filter(({ path, field }) => /^\[[A-Z]/.test(String(field.type)) && !/Connection\.(nodes|edges)$/.test(path))
  expect(lists.map(({ path, field }) => [path, /at most \d+/.test(field.description ?? '')])).toEqual([
    ['ApiKey.scopes', false], // at most three, as there are scopes
    ['CrawlRun.errorTotals', true],
    ['Feed.hostKeys', true],
    ['FeedRun.blockReasons', true],
    ['FeedRun.errorTotals', true],
    ['Query.queues', true],
    ['Queue.retryWaitSeconds', true],
    ['Retailer.sources', true],
    ['ScrapeRun.errorTotals', true],
    ['VerificationRun.errorTotals', true],
  ])
})

test('every text of an input says how long it may be', () => {
  const texts = own
    .filter(isInputObjectType)
    .filter(({ name }) => name.endsWith('Input'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => /^String!?$/.test(String(field.type)))
  expect(texts.length).toBeGreaterThan(20)
  const unlimited = texts.filter(({ field }) => !/at most \d+ characters/.test(field.description ?? ''))
  expect(unlimited.map(({ path }) => path)).toEqual([])
})
