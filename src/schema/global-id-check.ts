import SchemaBuilder, {
  BasePlugin,
  mapInputFields,
  type InputFieldsMapping,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import { isInterfaceType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql'
import { refuse, type Problem } from '../domain/errors.ts'
import { readId } from './global-id.ts'

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      globalIdCheck: GlobalIdCheck<Types>
    }
  }
}

/** The types an id may be of; none given: anything that has an id. */
type Allowed = { typename: string }[]
type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

/**
 * Refuses what is not the id of an object of the right type, and says which field it stood in, all of them at once.
 * Pothos decodes ids without knowing where they came from, so this looks at the arguments before it does.
 */
class GlobalIdCheck<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapArgMappers(resolver: Resolver<Types> | undefined, { args }: PothosOutputFieldConfig<Types>) {
    const ids = mapInputFields(args, this.buildCache, ({ extensions }) =>
      extensions?.isRelayGlobalID ? ((extensions.relayGlobalIDFor ?? []) as Allowed) : null,
    )
    if (!resolver || !ids) return resolver
    const checked: Resolver<Types> = (parent, given, context, info) => {
      refuse(findProblems(ids, given, '', info.schema))
      return resolver(parent, given, context, info)
    }
    return checked
  }
}

export const globalIdCheck = 'globalIdCheck'
SchemaBuilder.registerPlugin(globalIdCheck, GlobalIdCheck)

function findProblems<Types extends SchemaTypes>(
  ids: InputFieldsMapping<Types, Allowed>,
  given: object,
  path: string,
  schema: GraphQLSchema,
): Problem[] {
  const values = new Map<string, unknown>(Object.entries(given))
  return [...ids].flatMap(([name, field]) =>
    [values.get(name)].flat(field.listDepth).flatMap((value, index) => {
      if (value === null || value === undefined) return []
      const place = `${path}${name}${field.isList ? `.${index}` : ''}`
      if (field.kind === 'InputObject')
        return field.fields.map ? findProblems(field.fields.map, value, `${place}.`, schema) : []
      const message = typeof value === 'string' ? problemOf(value, field.value, schema) : undefined
      return message ? [{ field: place, message, hint: 'Use the value of an `id` field as it is.' }] : []
    }),
  )
}

function problemOf(globalId: string, allowed: Allowed, schema: GraphQLSchema): string | undefined {
  const found = readId(globalId)
  if (!found) return `"${globalId.slice(0, 100)}" is not an id.`
  const names = allowed.length > 0 ? allowed.map(({ typename }) => typename) : nodeTypes(schema)
  if (names.includes(found.typename)) return undefined
  return allowed.length > 0
    ? `is the id of a ${found.typename}, not of a ${names.join(' or ')}.`
    : `is the id of a ${found.typename}, which cannot be asked for by id.`
}

function nodeTypes(schema: GraphQLSchema): string[] {
  const node = schema.getType('Node')
  return isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : []
}
