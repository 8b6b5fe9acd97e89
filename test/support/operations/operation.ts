import type pg from 'pg'
import type { Scope } from '../../../src/domain/access/actor.ts'
import type { ActionOn, AuditedType } from '../../../src/domain/access/audit-action.ts'
import type { ErrorCode } from '../../../src/domain/error-codes.ts'
import { readId } from '../../../src/schema/global-id.ts'

/** A text that stands in every object of a fixture that is not for everybody, and in no other fixture. */
export type Mark = { mark: string }

/** How a root field is asked for, and the scope it needs. */
export type Operation<Fixture> = {
  scope: Scope
  document: string
  variables?: (fixture: Fixture) => object
}

type Recorded = { action: ActionOn<AuditedType>; objectType: AuditedType; objectId: string | null; changes: object }
type Answer = Record<string, string>

/** A mutation also says the one line it leaves in the audit log, and what comes of the same mutation sent once more. */
export type Mutation<Fixture> = Required<Operation<Fixture>> & {
  recorded: (fixture: Fixture, answer: Answer) => Recorded
  /**
   * 'same': nothing changes, and the line in the audit log says so. 'new': it is done anew, and recorded as such. A code: it
   * is refused with that one. Changes: nothing but the audit log changes, and its line says these.
   */
  repeated: 'same' | 'new' | ErrorCode | object
  /** What else it records the first time, about single objects. */
  besides?: ActionOn<AuditedType>[]
  /** It can be done once with an object, so that each further time needs objects of its own. */
  usesUp?: true
  /** What to send instead where an argument is tried that excludes those, by its name. */
  others?: Record<string, object>
  /** Where the answer has an input field that it does not have under the same name; null: it is stored in a form of its own. */
  storedAs?: Record<string, string | null>
}

/** The root fields of a noun, by type and name. */
export type Operations<Fixture> = Record<`Query.${string}` | `Subscription.${string}`, Operation<Fixture>> &
  Record<`Mutation.${string}`, Mutation<Fixture>>

/** Where objects of a type are kept, and the column that they are known by in the audit log. */
export type Table = [table: string, id: string]

/** What makes the objects of a noun for a fixture, given those that it needs. */
export type Make<Needed, Made> = (pool: pg.Pool, given: Mark & Needed) => Promise<Made>

/** The number of the row that a global id means. */
export const numberOf = (globalId: string | undefined): string | null => readId(globalId ?? '')?.id ?? null
