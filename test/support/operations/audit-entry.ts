import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations } from './operation.ts'
import type { RetailerFixture } from './retailer.ts'

export type AuditEntryFixture = { AuditEntry: string }

export const make: Make<RetailerFixture, AuditEntryFixture> = async (pool, { mark, Retailer }) => {
  const object = { object_type: 'Retailer', object_id: numberOf(Retailer) }
  const id = await insertRow(pool, 'audit_log', { actor: mark, action: mark, ...object, request_id: mark })
  return { AuditEntry: encodeId('AuditEntry', id) }
}

export const operations: Operations<Mark & AuditEntryFixture> = {
  'Query.auditLog': { scope: 'OPERATE', document: '{ auditLog { totalCount nodes { id actor } } }' },
}
