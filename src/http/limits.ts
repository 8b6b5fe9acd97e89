import { complexityFromQuery } from '@pothos/plugin-complexity'
import { getOperationAST, Kind, parse, visit, type DocumentNode, type ExecutionArgs, type GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import { storable } from '../domain/input.ts'
import { codedError } from './errors.ts'

type Limits = Pick<Config['http'], 'maxDepth' | 'maxAliases' | 'maxTokens' | 'maxCost'>

/** Stops a document with too many tokens while it is read, before anything is made of it. */
export const limitTokens = ({ maxTokens }: Limits): Plugin => ({
  onParse: ({ setParseFn }) => setParseFn((source, options) => parse(source, { ...options, maxTokens })),
})

/** Why an operation may not run, or nothing. Asked before the key is looked up, so a refusal costs no SQL. */
export function refuseOperation(args: ExecutionArgs, limits: Limits): GraphQLError | undefined {
  const aliases = countAliases(args.document)
  if (aliases > limits.maxAliases)
    return tooComplex(`The query uses ${aliases} aliases; ${limits.maxAliases} are allowed.`)
  const { depth, complexity } = measure(args)
  if (depth > limits.maxDepth) return tooComplex(`The query nests ${depth} levels; ${limits.maxDepth} are allowed.`)
  if (complexity > limits.maxCost)
    return tooComplex(
      `The query would cost ${complexity} points; ${limits.maxCost} are allowed. A list costs its fields times the number asked for.`,
    )
  return unstorable(args)
}

const tooComplex = (message: string) => codedError('QUERY_TOO_COMPLEX', message)

/** Measures the operation that will run. `complexityFromQuery` looks at a document's first one only, so it is given no other. */
function measure({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs): {
  depth: number
  complexity: number
} {
  const operation = getOperationAST(document, operationName)
  if (!operation) return { depth: 0, complexity: 0 }
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  try {
    return complexityFromQuery(
      { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
      { schema, variables: { ...variableValues }, ctx: contextValue as object },
    )
  } catch {
    return { depth: 0, complexity: 0 } // bad variables: execution refuses them with a better message, before any resolver runs
  }
}

const aliasCounts = new WeakMap<DocumentNode, number>()

function countAliases(document: DocumentNode): number {
  let count = aliasCounts.get(document)
  if (count === undefined) {
    count = 0
    visit(document, { Field: (field) => void (field.alias && count!++) })
    aliasCounts.set(document, count)
  }
  return count
}

/** Text that Postgres cannot hold is refused at the door, so that no query or filter stumbles over it later. */
function unstorable({ document, variableValues }: ExecutionArgs): GraphQLError | undefined {
  let field = findUnstorable(variableValues, '')
  visit(document, { StringValue: ({ value }) => void (storable(value) || (field ??= 'a text in the query')) })
  if (field === undefined) return undefined
  return codedError('BAD_USER_INPUT', `${field}: holds a NUL character or half a surrogate pair.`, { field })
}

function findUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return storable(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = findUnstorable(part, path ? `${path}.${key}` : key)
    if (found !== undefined) return found
  }
  return undefined
}
