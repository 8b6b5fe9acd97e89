import type { Dialect } from './field.ts'
import { generic } from './generic.ts'
import { impact } from './impact.ts'

/** The networks whose columns are known; GENERIC is for all others. */
export const dialects = { IMPACT: impact, GENERIC: generic } as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects
