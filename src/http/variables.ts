import {
  coerceInputValue,
  getVariableValues,
  isInputType,
  isNonNullType,
  typeFromAST,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql'
import { refuse, type Problem } from '../domain/errors.ts'

type Given = Record<string, unknown>

const maxProblems = 50
const longestMessage = 300

/** The variables of an operation as its resolvers will see them; throws all that is wrong with them at once, each with its place. */
export function readVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Given,
  { hideSuggestions = false } = {},
): Given {
  const definitions = operation.variableDefinitions ?? []
  const { coerced, errors } = getVariableValues(schema, definitions, given, { maxErrors: 1 })
  if (!errors) return coerced
  refuse(
    definitions.flatMap((definition) => findProblems(schema, definition, given, hideSuggestions)).slice(0, maxProblems),
  )
  throw errors[0] ?? new Error('unreachable: variables that were refused have an error')
}

function findProblems(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  given: Given,
  hideSuggestions: boolean,
): Problem[] {
  const name = definition.variable.name.value
  const type = typeFromAST(schema, definition.type)
  if (!isInputType(type)) return []
  if (given[name] === undefined) {
    const isMissing = isNonNullType(type) && !definition.defaultValue
    return isMissing ? [{ field: name, message: `is required, as ${type.toString()}.` }] : []
  }
  const problems: Problem[] = []
  const note = (path: readonly (string | number)[], _value: unknown, { message }: GraphQLError) => {
    if (problems.length === maxProblems) return
    // GraphQL names the object, and the field of it that is missing or unknown only in words.
    const [, field] = /^Field "([^"]+)" (?:of required type|is not defined)/.exec(message) ?? []
    const place = [name, ...path, ...(field ? [field] : [])].join('.')
    problems.push({ field: place, message: shorten(message) })
  }
  coerceInputValue(given[name], type, note, hideSuggestions)
  return problems
}

const shorten = (text: string) => (text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text)
