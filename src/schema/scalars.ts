import { GraphQLError, type ValueNode } from 'graphql'
import { z } from 'zod'
import { isInCalendar, outsideCalendar } from '../domain/moment.ts'
import { builder } from './builder.ts'

const form = z.iso.datetime({ offset: true })

builder.scalarType('DateTime', {
  description: 'A moment in ISO 8601 with its offset, as in 2026-11-18T09:30:00.000Z.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => toMoment(value),
  parseLiteral: (node) => toMoment('value' in node ? node.value : undefined, node),
})

builder.scalarType('JSON', { description: 'Any JSON value.', serialize: (value) => value })

function toMoment(value: unknown, node?: ValueNode): Date {
  const given = form.safeParse(value)
  const moment = given.success ? new Date(given.data) : undefined
  if (moment && isInCalendar(moment)) return moment
  const problem = moment ? outsideCalendar : 'must be a moment in ISO 8601 with its offset, as in 2026-11-18T09:30:00Z.'
  // An error of GraphQL's own kind: any other would count as a fault of ours.
  throw new GraphQLError(`It ${problem}`, { nodes: node })
}
