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

builder.scalarType('Decimal', {
  description: 'An exact decimal number as text, with at least two places behind the point, as in "12.90".',
  serialize: (value) => showDecimal(value),
  parseValue: (value) => toDecimal(value),
  parseLiteral: (node) => toDecimal('value' in node ? node.value : undefined, node),
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

/** As few places as say it all, but two at least: what Postgres writes as 12.9 or 12.900 is one price. */
function showDecimal(value: string): string {
  const [whole = '0', places = ''] = value.split('.')
  return `${whole}.${places.replace(/0+$/, '').padEnd(2, '0')}`
}

const decimalForm = /^\d{1,12}(\.\d{1,6})?$/

function toDecimal(value: unknown, node?: ValueNode): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && decimalForm.test(text)) return text
  throw new GraphQLError('It must be a decimal number that is not negative, as "12.90".', { nodes: node })
}
