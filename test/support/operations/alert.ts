import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'
import type { SourceFixture } from './source.ts'

export type AlertFixture = { Alert: string }

export const tables = { Alert: ['freshet.alerts', 'id'] } satisfies Record<string, Table>

export const make: Make<SourceFixture, AlertFixture> = async (pool, { mark, Source }) => {
  const now = new Date()
  const columns = {
    source_id: numberOf(Source),
    kind: mark,
    severity: 'P2',
    subject: mark,
    dedupe_key: mark,
    message: mark,
    details: { mark },
    raised_at: now,
    last_raised_at: now,
  }
  return { Alert: encodeId('Alert', await insertRow(pool, 'alerts', columns)) }
}

export const operations: Operations<Mark & AlertFixture> = {
  'Query.alerts': { scope: 'OPERATE', document: '{ alerts { totalCount nodes { id } edges { node { message } } } }' },
  'Subscription.alertRaised': {
    scope: 'OPERATE',
    document: 'subscription { alertRaised { __typename ... on StreamStart { cursor } } }',
  },
  'Mutation.acknowledgeAlert': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { acknowledgeAlert(id: $id) { id acknowledgedAt acknowledgedBy } }',
    variables: ({ Alert }) => ({ id: Alert }),
    recorded: ({ Alert }, { acknowledgedAt, acknowledgedBy }) => ({
      action: 'ACKNOWLEDGE_ALERT',
      objectType: 'Alert',
      objectId: numberOf(Alert),
      changes: {
        acknowledgedAt: { from: null, to: acknowledgedAt },
        acknowledgedBy: { from: null, to: acknowledgedBy },
      },
    }),
    repeated: 'same',
  },
  'Mutation.resolveAlert': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { resolveAlert(id: $id) { id resolvedAt resolvedBy } }',
    variables: ({ Alert }) => ({ id: Alert }),
    recorded: ({ Alert }, { resolvedAt, resolvedBy }) => ({
      action: 'RESOLVE_ALERT',
      objectType: 'Alert',
      objectId: numberOf(Alert),
      changes: { resolvedAt: { from: null, to: resolvedAt }, resolvedBy: { from: null, to: resolvedBy } },
    }),
    repeated: 'same',
  },
}
