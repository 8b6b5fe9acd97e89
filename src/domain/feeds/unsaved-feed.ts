import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  FeedDecimalMark,
  FeedDelimiter,
  FeedDialect,
  FeedQuoting,
  FeedTlsMode,
  FeedTransport,
} from '../../db/generated/client/enums.ts'
import type { KeyRing } from './credentials/key-ring.ts'
import { encryptSecret, secretContext } from './credentials/secret.ts'
import { feedFields } from './dialects/field.ts'
import type { FeedForRun } from './feed-for-run.ts'
import type { FeedTestSettings } from './settings/feed-input.ts'
import { typedSecret } from './settings/feed-rules.ts'

const secretVersion = 1

/**
 * Settings that nobody stored, as a job carries them to the worker that tries them. What the input left out is as the table would
 * have made it. The secret is encrypted: whoever lists jobs sees none, and it opens for this test alone, by its id.
 */
export const unsavedFeed = z.object({
  id: z.string().startsWith('test-'),
  transport: z.enum(FeedTransport),
  tlsMode: z.enum(FeedTlsMode).nullable().default(null),
  host: z.string(),
  port: z.number().int().nullable().default(null),
  path: z.string(),
  username: z.string(),
  secretCiphertext: z.base64().nullable(),
  secretKeyId: z.string().nullable(),
  dialect: z.enum(FeedDialect).default('GENERIC'),
  delimiter: z.enum(FeedDelimiter).nullable().default(null),
  quoting: z.enum(FeedQuoting).nullable().default(null),
  columnMap: z.partialRecord(z.enum(feedFields), z.array(z.string())).default({}),
  defaultCurrency: z.string().default('USD'),
  decimalMark: z.enum(FeedDecimalMark).nullable().default(null),
  maxFileSizeBytes: z.number().int().default(524_288_000),
  maxRowCount: z.number().int().default(500_000),
  maxProductCount: z.number().int().default(500_000),
})
export type UnsavedFeed = z.output<typeof unsavedFeed>

/** Makes settings that were checked ready for their way. */
export function sealFeed(keyRing: KeyRing, settings: z.output<typeof FeedTestSettings>): UnsavedFeed {
  const id = `test-${randomUUID()}`
  const secret = typedSecret(settings)
  const sealed = secret && encryptSecret(keyRing, secret, secretContext(id, secretVersion))
  return unsavedFeed.parse({
    ...settings,
    id,
    secretCiphertext: sealed ? Buffer.from(sealed.secretCiphertext).toString('base64') : null,
    secretKeyId: sealed?.secretKeyId ?? null,
  })
}

/** What a run reads of a feed that is stored; of this one nothing is known. */
const unknown = {
  sourceId: null,
  sourceName: 'a test',
  network: null,
  secretVersion,
  unchangedPolicy: 'KEEP',
  reading: null,
  lastRemoteMtime: null,
  lastRemoteSize: null,
  lastContentHash: null,
  isForced: true,
  isPromoted: false,
} as const

/** The settings as a run reads a feed. */
export function openUnsavedFeed({ secretCiphertext, ...settings }: UnsavedFeed): FeedForRun {
  const bytes = secretCiphertext === null ? null : Buffer.from(secretCiphertext, 'base64')
  return { ...unknown, hostKeys: [], ...settings, secretCiphertext: bytes }
}
