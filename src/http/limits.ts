import { GraphQLError, Kind, parse, visit, type DocumentNode, type Source } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import { storable } from '../domain/input.ts'
import { codedError } from './errors.ts'
import { measure, type Operation } from './measure.ts'

type Limits = Pick<Config['http'], 'maxDepth' | 'maxAliases' | 'maxTokens' | 'maxCost'>

/** What GraphiQL and code generators ask about the schema, twice over. */
const maxIntrospection = 10_000
const longestLocated = 20_000

const maxRepetition = 20_000

/** Stops a document that is too large or repeats itself too often when it is read, before anything is made of it. */
export const limitDocument = ({ maxTokens }: Limits): Plugin => ({
  onParse: ({ setParseFn }) =>
    setParseFn((source: string | Source, options) => {
      // GraphQL counts lines anew for every place it names: in a megabyte of blank lines, for seconds.
      const noLocation = (typeof source === 'string' ? source : source.body).length > longestLocated
      try {
        return refuseRepetition(parse(source, { ...options, maxTokens, noLocation }))
      } catch (error) {
        if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The document nests too deeply.')
        throw error
      }
    }),
})

/**
 * Validation compares every two fields of the same name that may meet, and every two fragments: 280 times `retailers` in 6 kB
 * of text held all other requests up for 300 ms. The squares of how often each name stands there are a bound for that.
 */
function refuseRepetition(document: DocumentNode): DocumentNode {
  const counts = new Map<string, number>()
  const count = (name: string, weight = 1) => counts.set(name, (counts.get(name) ?? 0) + weight)
  visit(document, {
    [Kind.FIELD]: ({ alias, name }) => void count((alias ?? name).value),
    [Kind.FRAGMENT_DEFINITION]: () => void count('fragment', 2), // as costly as two fields
  })
  const repetition = [...counts.values()].reduce((sum, times) => sum + times * times, 0)
  if (repetition <= maxRepetition) return document
  const [name, times] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))
  throw tooComplex(`The query repeats itself too often, "${name}" most of all (${times}).`)
}

/** Throws when an operation is larger than allowed. Asked before the key is looked up, so a refusal costs no SQL. */
export function refuseLargeOperation(operation: Operation, { maxAliases, maxDepth, maxCost }: Limits): void {
  const { aliases, depth, cost, introspection } = measure(operation)
  if (aliases > maxAliases) throw tooComplex(`The query uses ${aliases} aliases; ${maxAliases} are allowed.`)
  if (depth > maxDepth) throw tooComplex(`The query nests ${depth} levels; ${maxDepth} are allowed.`)
  if (cost > maxCost)
    throw tooComplex(
      `The query would cost ${cost} points; ${maxCost} are allowed. A list costs its fields times the number asked for.`,
    )
  if (introspection > maxIntrospection) throw tooComplex('The query asks for too much of the schema at once.')
}

const tooComplex = (message: string) => codedError('QUERY_TOO_COMPLEX', message)

/** Throws when a text cannot be held by Postgres, so that no query or filter stumbles over it later. */
export function refuseUnstorable(document: DocumentNode, variables: unknown): void {
  const field = hasUnstorable(document) ? 'query' : findUnstorable(variables)
  if (field === undefined) return
  throw codedError('BAD_USER_INPUT', `${field}: holds a NUL character or half a surrogate pair.`, { field })
}

const checkedDocuments = new WeakMap<DocumentNode, boolean>()

function hasUnstorable(document: DocumentNode): boolean {
  let found = checkedDocuments.get(document)
  if (found === undefined) {
    found = false
    visit(document, { [Kind.STRING]: ({ value }) => void (found ||= !storable(value)) })
    checkedDocuments.set(document, found)
  }
  return found
}

type Place = { value: unknown; key: string; parent: Place | undefined }

/** Goes through variables without recursion: a megabyte holds lists nested half a million times. */
function findUnstorable(variables: unknown): string | undefined {
  const places: Place[] = [{ value: variables, key: '', parent: undefined }]
  for (let place = places.pop(); place; place = places.pop()) {
    const { value } = place
    if (typeof value === 'string' && !storable(value)) return pathOf(place)
    if (typeof value !== 'object' || value === null) continue
    for (const key of Object.keys(value))
      places.push({ value: (value as Record<string, unknown>)[key], key, parent: place })
  }
  return undefined
}

function pathOf(place: Place): string {
  const keys: string[] = []
  for (let at: Place | undefined = place; at?.parent; at = at.parent) keys.unshift(at.key)
  return keys.slice(0, 50).join('.')
}
