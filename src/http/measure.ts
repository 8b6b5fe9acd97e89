import {
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** How large an operation is, its fragments counted each time they are used. Questions about the schema have no depth, and a cost of their own. */
export type Size = { depth: number; aliases: number; cost: number; introspection: number }

export type Operation = {
  schema: GraphQLSchema
  operation: OperationDefinitionNode
  fragments: Map<string, FragmentDefinitionNode>
  variables: Record<string, unknown>
}

type Price = number | { field?: number; multiplier?: number }
type Walk = Operation & { known: Map<SelectionSetNode, Map<GraphQLCompositeType, Size>> }

const nothing: Size = { depth: 0, aliases: 0, cost: 0, introspection: 0 }
const listSize = 10
const introspectionListSize = 5

/** Measures an operation that is valid. Each selection is looked at once, however often fragments repeat it. */
export function measure(operation: Operation): Size {
  const type = operation.schema.getRootType(operation.operation.operation)
  return type ? sizeOf(operation.operation.selectionSet, type, { ...operation, known: new Map() }) : nothing
}

function sizeOf(selections: SelectionSetNode, type: GraphQLCompositeType, walk: Walk): Size {
  const sizes = walk.known.get(selections) ?? new Map<GraphQLCompositeType, Size>()
  walk.known.set(selections, sizes)
  const known = sizes.get(type)
  if (known) return known
  const size = selections.selections
    .map((selection) => {
      if (selection.kind === Kind.FIELD) return sizeOfField(selection, type, walk)
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value)
      if (!fragment) return nothing
      const condition = fragment.typeCondition && walk.schema.getType(fragment.typeCondition.name.value)
      return sizeOf(fragment.selectionSet, isCompositeType(condition) ? condition : type, walk)
    })
    .reduce(together, nothing)
  sizes.set(type, size)
  return size
}

function sizeOfField(node: FieldNode, type: GraphQLCompositeType, walk: Walk): Size {
  const field = findField(node.name.value, type)
  const inner = field && getNamedType(field.type)
  const below = node.selectionSet && isCompositeType(inner) ? sizeOf(node.selectionSet, inner, walk) : nothing
  const aliases = below.aliases + (node.alias ? 1 : 0)
  if (inner && isIntrospectionType(inner) && isCompositeType(inner)) {
    const times = isList(field.type) ? introspectionListSize : 1
    return { depth: 1, aliases, cost: 0, introspection: 1 + times * below.introspection }
  }
  if (isIntrospectionType(type)) return { depth: 1, aliases, cost: 0, introspection: 1 }
  const { own, times } = priceOf(field, node, walk)
  return {
    depth: below.depth + 1,
    aliases,
    cost: own + times * below.cost,
    introspection: times * below.introspection,
  }
}

/** What a field says it costs: a number, or a number and how often what is inside it comes; the arguments may decide. */
function priceOf(field: GraphQLField<unknown, unknown> | undefined, node: FieldNode, { variables }: Walk) {
  const given = field?.extensions.complexity as Price | ((args: object) => Price) | undefined
  const price = typeof given === 'function' && field ? given(argumentsOf(field, node, variables)) : (given as Price)
  const isMany = field !== undefined && isList(field.type)
  const standard = { field: 1, multiplier: isMany ? listSize : 1 }
  const { field: own, multiplier } = { ...standard, ...(typeof price === 'number' ? { field: price } : price) }
  return { own, times: Math.max(multiplier, 0) }
}

/** The arguments as sent. Those that are wrong stop their field later, with a better message; until then it has its usual price. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Record<string, unknown>) {
  try {
    return getArgumentValues(field, node, variables)
  } catch {
    return {}
  }
}

function findField(name: string, type: GraphQLCompositeType): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
}

const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type)

const together = (a: Size, b: Size): Size => ({
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  cost: a.cost + b.cost,
  introspection: a.introspection + b.introspection,
})
