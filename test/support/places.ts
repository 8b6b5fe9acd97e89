import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql'

/** A place in the arguments of a field where a text can be put: its path, as errors name it but for positions in lists. */
export type Place = { path: string; steps: string[]; type: string }

type Input = GraphQLArgument | GraphQLInputField
type Field = Pick<GraphQLField<unknown, unknown>, 'args'>

const inner = (type: GraphQLInputType) => (isNonNullType(type) ? type.ofType : type)
const takesNoText = new Set(['Int', 'Float', 'Boolean'])

/** Every place in the arguments of a field that takes text, be it free, an id, a moment or a word of a list. */
export const placesOf = ({ args }: Field): Place[] => args.flatMap((argument) => placesIn(argument))

function placesIn({ name, type }: Input, above: string[] = []): Place[] {
  const named = getNamedType(type)
  const steps = [...above, name]
  if (isInputObjectType(named)) return Object.values(named.getFields()).flatMap((field) => placesIn(field, steps))
  return takesNoText.has(named.name) ? [] : [{ path: steps.join('.'), steps, type: named.name }]
}

/** The given variables with a text in one place of them. */
export function putText({ args }: Field, given: object, { steps }: Place, text: string): Record<string, unknown> {
  const [name = '', ...rest] = steps
  const argument = args.find((each) => each.name === name)!
  return { ...given, [name]: put(argument.type, valueAt(given, [name]), rest, text) }
}

function put(type: GraphQLInputType, given: unknown, [step, ...rest]: string[], text: string): unknown {
  const plain = inner(type)
  if (isListType(plain)) {
    const [first] = Array.isArray(given) ? (given as unknown[]) : []
    return [put(plain.ofType, first, step === undefined ? [] : [step, ...rest], text)]
  }
  if (step === undefined || !isInputObjectType(plain)) return text
  const there = (given ?? sample(plain)) as Record<string, unknown>
  return { ...there, [step]: put(plain.getFields()[step]!.type, there[step], rest, text) }
}

/** Something that passes, for what must be there beside the text. Ids come from the table of operations alone. */
function sample(type: GraphQLInputType): unknown {
  const plain = inner(type)
  if (isListType(plain)) return [sample(plain.ofType)]
  if (isEnumType(plain)) return plain.getValues()[0]!.name
  if (isInputObjectType(plain)) {
    const needed = Object.values(plain.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(needed.map((field) => [field.name, sample(field.type)]))
  }
  if (plain.name === 'String') return 'Sample'
  if (plain.name === 'Boolean') return true
  if (plain.name === 'Int' || plain.name === 'Float') return 1
  throw new Error(`The table of operations has to give what holds a ${plain.name}.`)
}

/** What stands at a path; undefined where there is nothing. */
export function valueAt(variables: object, steps: string[]): unknown {
  let value: unknown = variables
  for (const step of steps) value = (value as Record<string, unknown> | null | undefined)?.[step]
  return value
}

const isMissing = (value: unknown) => value === undefined || value === null

type Refusal = { extensions: { field?: string; problems?: { field: string }[] } }

/** Whether a refusal is about a place, or about what follows from it: nothing else that was sent is to blame. */
export function isRefusedFor(place: Place, variables: object, { extensions }: Refusal): boolean {
  const fields = extensions.problems?.map(({ field }) => field) ?? [extensions.field ?? '']
  const names = fields.map((field) => field.split('.').filter((step) => !/^\d+$/.test(step)))
  const isPlace = (steps: string[]) => `${steps.join('.')}.`.startsWith(`${place.path}.`)
  return (
    names.length > 0 &&
    names.every((steps) => isPlace(steps) || (steps.length > 1 && isMissing(valueAt(variables, steps))))
  )
}
