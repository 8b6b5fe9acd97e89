import { z } from 'zod'
import { text } from '../../input.ts'
import { feedFields, type FeedField } from '../dialects/field.ts'

/** How columns are mapped, as it is stored: a field and its columns in their order; none: the field is not read. */
export type StoredColumnMap = { [Field in FeedField]?: string[] }

const mapping = z.object({
  field: z.enum(feedFields),
  columns: z.array(text(200)).max(20, 'at most 20 columns a field.'),
})

/** A list of fields, each with the columns that it is read from; no field stands in it twice. */
export const columnMapInput = z
  .array(mapping)
  .max(feedFields.length, `must have at most ${feedFields.length} fields.`)
  .refine((list) => new Set(list.map(({ field }) => field)).size === list.length, 'names a field twice.')
  .transform((list): StoredColumnMap => Object.fromEntries(list.map(({ field, columns }) => [field, columns])))

/** The fields that decide which offer a row is (S2 §3.1). */
export const identityFields = ['itemId', 'sku', 'link', 'landingLink'] as const satisfies FeedField[]
