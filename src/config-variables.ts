import { isIP } from 'node:net'
import { z } from 'zod'
import { keyForm } from './key-form.ts'

/** One variable of the environment: how it is read, an example for the error message, whether its value is a secret. */
type Variable<Schema extends z.ZodType> = { schema: Schema; example: string; about: string; secret: boolean }

const variable = <Schema extends z.ZodType>(schema: Schema, example: string, about: string): Variable<Schema> => ({
  schema,
  example,
  about,
  secret: false,
})
const secret = <Schema extends z.ZodType>(schema: Schema, example: string, about: string): Variable<Schema> => ({
  schema,
  example,
  about,
  secret: true,
})

const whole = (min: number, max: number, standard: number) => {
  const message = `must be a whole number from ${min} to ${max}.`
  return z
    .string()
    .regex(/^\d{1,12}$/, message)
    .transform(Number)
    .refine((n) => n >= min && n <= max, message)
    .default(standard)
}
const flag = (standard: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false.')
    .transform((text) => text === 'true')
    .default(standard)
const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names, standard: Names[number]) =>
  z.enum(names, `must be one of ${names.join(', ')}.`).default(standard as never)
const url = (protocols: string[], what: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), `must be ${what}.`)

const list = <Part extends z.ZodType<string, string>>(part: Part) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .pipe(z.array(part))
    .default([])

const postgresUrl = url(['postgres:', 'postgresql:'], 'a Postgres connection URL')
const httpUrl = url(['http:', 'https:'], 'an http or https URL')
const origin = httpUrl.refine(
  (text) => URL.canParse(text) && new URL(text).origin === text,
  'must be a list of origins (scheme and host, no path).',
)

/** Another key cannot open what this one closed: it is made once, not at every start. */
export const howToMakeCredentialKey =
  'Make it once with "openssl rand -base64 32", keep it, and give the same to all processes.'
const adminKeyCommand = `node -p "'frs_' + crypto.randomBytes(32).toString('base64url')".`

export const variables = {
  DATABASE_URL: secret(
    postgresUrl.optional(),
    'postgres://freshet:password@127.0.0.1:5432/freshet',
    'The Postgres to use. Unset: an embedded one in FRESHET_DATA_DIR.',
  ),
  DATABASE_DIRECT_URL: secret(
    postgresUrl.optional(),
    'postgres://freshet:password@127.0.0.1:5432/freshet',
    'A way past the pooler for locks and LISTEN, when DATABASE_URL is a pooler.',
  ),
  HOST: variable(
    z.string().refine(isHost, 'must be an address or a host name, without scheme and port.').default('127.0.0.1'),
    '0.0.0.0',
    'The address to listen on.',
  ),
  PORT: variable(
    whole(0, 65_535, 4000),
    '4000',
    'The port to listen on; 0 takes a free one. Unset, a process of the role worker takes a free one too.',
  ),
  FRESHET_ROLE: variable(
    oneOf(['all', 'api', 'worker'], 'all'),
    'api',
    'What this process does: answer requests, work jobs, or both.',
  ),
  FRESHET_DATA_DIR: variable(
    z.string().default('.freshet'),
    '.freshet',
    'Where the embedded Postgres and the keys made for it live.',
  ),
  FRESHET_MIGRATE: variable(
    flag(true),
    'false',
    'Whether starting brings the database up to date. With false the role needs no DDL rights.',
  ),
  FRESHET_PG_CRON: variable(
    flag(true),
    'false',
    'Whether pg_cron drives the schedules where it can be had. With false its job is taken away, and a worker drives.',
  ),
  FRESHET_AUDIT_KEEP_DAYS: variable(
    whole(0, 36_500, 0).refine((days) => days === 0 || days >= 90, 'must be 0, or 90 to 36500.'),
    '730',
    'After how many days entries of the audit log are deleted, at least 90; 0: never.',
  ),
  FRESHET_POOL_SIZE: variable(whole(2, 200, 10), '10', 'Connections a process holds at most for requests.'),
  FRESHET_SHUTDOWN_SECONDS: variable(
    whole(1, 600, 25),
    '25',
    'How long requests and jobs at work may go on after a stop was asked for.',
  ),
  CREDENTIAL_ENCRYPTION_KEY_B64: secret(
    z.string().refine(is32Bytes, `must be 32 bytes in base64. ${howToMakeCredentialKey}`).optional(),
    'q4hZ…44 characters…c0w=',
    `Encrypts credentials of feeds. Made and kept in FRESHET_DATA_DIR when Postgres is embedded, required otherwise. ${howToMakeCredentialKey}`,
  ),
  CREDENTIAL_ENCRYPTION_OLD_KEY_B64: secret(
    z.string().refine(is32Bytes, 'must be 32 bytes in base64: the key that was in use before.').optional(),
    'q4hZ…44 characters…c0w=',
    'The key before CREDENTIAL_ENCRYPTION_KEY_B64, while credentials are encrypted anew. It decrypts what it encrypted, and encrypts nothing.',
  ),
  FRESHET_ADMIN_KEY: secret(
    z.string().regex(keyForm, 'must be frs_ followed by 43 characters of base64url (256 bits).').optional(),
    'frs_q4hZ…43 characters…c0w',
    `A first ADMIN key to let in, instead of one made and printed at the first start. Make it once: ${adminKeyCommand}`,
  ),
  FRESHET_PUBLIC_READ: variable(flag(true), 'false', 'Whether catalogue queries are open to callers without a key.'),
  FRESHET_ALLOWED_HOSTS: variable(
    list(z.string().refine(isHost, 'must be a list of host names, without scheme and port.')),
    'api.shop.example',
    'Host names that requests may ask for, beside this machine’s own. Empty: any, but none where HOST is a loopback address.',
  ),
  FRESHET_CORS_ORIGINS: variable(
    list(origin),
    'https://shop.example,https://admin.example',
    'Origins whose pages may call the API from a browser. Empty: none.',
  ),
  FRESHET_PROXY_HOPS: variable(
    whole(0, 10, 0),
    '1',
    'How many trusted proxies stand in front and add to X-Forwarded-For.',
  ),
  FRESHET_INTROSPECTION: variable(flag(true), 'false', 'Whether clients may ask for the schema.'),
  FRESHET_MAX_DEPTH: variable(whole(1, 100, 12), '12', 'How deep a query may nest.'),
  FRESHET_MAX_ALIASES: variable(whole(0, 1000, 30), '30', 'How many aliases a query may use.'),
  FRESHET_MAX_TOKENS: variable(whole(100, 100_000, 2000), '2000', 'How many tokens a query may have.'),
  FRESHET_MAX_COST: variable(
    whole(10, 10_000_000, 10_000),
    '10000',
    'How much a query may cost: a point a field, times the size of each list.',
  ),
  FRESHET_MAX_BODY_BYTES: variable(whole(1000, 100_000_000, 1_000_000), '1000000', 'How large a request body may be.'),
  FRESHET_REQUEST_SECONDS: variable(
    whole(1, 600, 30),
    '30',
    'How long a request may take. Subscriptions are not limited.',
  ),
  FRESHET_ALLOW_PRIVATE_NETWORK: variable(
    flag(false),
    'true',
    'Whether feeds and fetches may reach loopback, private and link-local addresses.',
  ),
  FRESHET_FEEDS_PER_HOST: variable(
    whole(1, 100, 2),
    '4',
    'How many feeds may be fetched from one host at the same time.',
  ),
  AFFILIATE_FEED_ALLOW_PLAIN_FTP: variable(flag(false), 'true', 'Whether feeds may use FTP without encryption.'),
  FRESHET_USER_AGENT: variable(
    z
      .string()
      .regex(
        /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(\/[\x21-\x7e]+)?( [\x20-\x7e]*)?$/,
        'must be ASCII and begin with a product name, as in Freshet/1.0 (+https://shop.example/bot).',
      )
      .default('Freshet/0.1'),
    'Freshet/1.0 (+https://shop.example/bot)',
    'The agent that fetches name themselves by.',
  ),
  SLACK_WEBHOOK_URL: secret(
    httpUrl.optional(),
    'https://hooks.example/services/T000/B000/XXXX',
    'Where alerts are delivered.',
  ),
  APIFY_TOKEN: secret(z.string().optional(), 'apify_api_xxxx', 'Token of the Apify account that runs actors.'),
  SOFT_DELETE_WINDOW_HOURS: variable(
    whole(1, 8760, 48),
    '48',
    'How long an inactive listing is kept without a sign of life before it is soft-deleted.',
  ),
  LISTING_STALE_DAYS: variable(
    whole(1, 3650, 7),
    '7',
    'After how many days without a sign of life a listing counts as stale.',
  ),
  LOG_LEVEL: variable(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    'debug',
    'How much is logged.',
  ),
  FRESHET_LLM_URL: variable(
    httpUrl.optional(),
    'http://127.0.0.1:11434/v1',
    'An OpenAI-compatible endpoint for hard matches. Unset: off.',
  ),
  FRESHET_LLM_MODEL: variable(z.string().optional(), 'small-model', 'The model to ask there.'),
  FRESHET_LLM_KEY: secret(z.string().optional(), 'xxxx', 'The key to send there.'),
}

export type VariableName = keyof typeof variables
export type Values = { [Name in VariableName]: z.output<(typeof variables)[Name]['schema']> }

function isHost(text: string): boolean {
  return isIP(text) > 0 || /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
}

function is32Bytes(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
}
