import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { howToMakeCredentialKey, variables, type VariableName, type Values } from './config-variables.ts'
import { ExpectedError } from './expected-error.ts'
import { editDistance, nearest } from './nearest.ts'

/** Everything the program may be told from outside, read once, validated, grouped by who needs it. */
export type Config = ReturnType<typeof group>
export type Role = Config['role']

export type ConfigProblem = { variable: string; message: string; example: string }

/** Carries every problem of the environment at once, so that one round of mending is enough. */
export class ConfigError extends ExpectedError<'BAD_CONFIGURATION', ConfigProblem> {
  constructor(problems: ConfigProblem[], warnings: string[] = []) {
    const lines = problems.map(
      ({ variable, message, example }) => `  ${variable}: ${message} Example: ${variable}=${example}`,
    )
    const head = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`
    super('BAD_CONFIGURATION', [head, ...lines, ...warnings.map((text) => `  ${text}`)].join('\n'), {
      hint: 'Correct them in the environment or in .env; "freshet config" shows what is in effect.',
      problems,
    })
  }
}

export type Environment = Record<string, string | undefined>

/** The process's environment over the `.env` file of a folder; the process wins. */
export function loadEnvironment(folder = process.cwd(), env: Environment = process.env): Environment {
  const file = join(folder, '.env')
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...env } : env
}

/**
 * Reads and checks the environment. `forServer` also asks for what only a running server needs, so that
 * `freshet migrate` works in a place that does not hold the credential key.
 */
export function readConfig(env: Environment, { forServer = true } = {}): { config: Config; warnings: string[] } {
  const problems: ConfigProblem[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const given = textOf(env, name)
    const parsed = variable.schema.safeParse(given)
    if (parsed.success) values[name] = parsed.data
    else
      problems.push({
        variable: name,
        message: problemText(parsed.error.issues[0]?.message, variable.secret ? undefined : given, env),
        example: variable.example,
      })
  }
  if (forServer && env.DATABASE_URL?.trim() && !env.CREDENTIAL_ENCRYPTION_KEY_B64?.trim()) {
    problems.push({
      variable: 'CREDENTIAL_ENCRYPTION_KEY_B64',
      message: `is required when DATABASE_URL is set. ${howToMakeCredentialKey}`,
      example: variables.CREDENTIAL_ENCRYPTION_KEY_B64.example,
    })
  }
  if (env.DATABASE_DIRECT_URL?.trim() && !env.DATABASE_URL?.trim()) {
    problems.push({
      variable: 'DATABASE_URL',
      message: 'is required when DATABASE_DIRECT_URL is set.',
      example: variables.DATABASE_URL.example,
    })
  }
  if (problems.length > 0) throw new ConfigError(problems, unknownVariables(env))
  return { config: group(values as Values), warnings: unknownVariables(env) }
}

/**
 * What is said of a variable, if anything is. Of a worker nobody asks but for its health: where no port is named it takes a
 * free one, so that it can stand beside an API on one machine.
 */
function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim()
  if (text) return text
  return name === 'PORT' && env.FRESHET_ROLE?.trim() === 'worker' ? '0' : undefined
}

/** Effective values by variable name, secrets masked: what `freshet config` shows. */
export function describeConfig(
  env: Environment,
): { name: string; value: string; source: 'environment' | 'default'; about: string }[] {
  return Object.entries(variables).map(([name, variable]) => {
    const given = env[name]?.trim()
    const parsed = variable.schema.safeParse(textOf(env, name))
    const value = parsed.success ? String(parsed.data ?? '') : `(invalid) ${given}`
    const shown = variable.secret && given ? mask : withoutSecrets(value, env)
    return { name, value: shown, source: given ? 'environment' : 'default', about: variable.about }
  })
}

/** The clear values that must never reach a log line or a message: secret variables, and passwords in any URL. */
export function secretsOf(env: Environment): string[] {
  const secrets = Object.entries(variables).flatMap(([name, { secret }]) => {
    const value = env[name]?.trim() ?? ''
    return [...(secret ? [value] : []), ...passwordsOf(value)]
  })
  return [...new Set(secrets)].filter((value) => value.length >= 4)
}

const mask = '********'

/** The password of a URL, as it is written and as it is meant. */
function passwordsOf(value: string): string[] {
  if (!URL.canParse(value)) return []
  const { password, searchParams } = new URL(value)
  return [password, decoded(password), searchParams.get('password') ?? '']
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is no escape
  }
}

function withoutSecrets(text: string, env: Environment): string {
  return secretsOf(env).reduce((clean, secret) => clean.replaceAll(secret, mask), text)
}

function problemText(message = 'is not valid.', given: string | undefined, env: Environment): string {
  return given ? `${message} It is "${withoutSecrets(given, env)}".` : message
}

function unknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('FRESHET_') && !(name in variables) && !name.startsWith('FRESHET_TEST_'))
    .map((name) => `${name} is not a variable that Freshet knows. Did you mean ${meant(name)}?`)
}

/** The known name that a wrong one was most likely meant for; the prefix may be what is wrong about it. */
function meant(name: string): VariableName {
  return nearest(Object.keys(variables) as [VariableName, ...VariableName[]], (known) =>
    Math.min(editDistance(name, known), editDistance(name.replace(/^FRESHET_/, ''), known)),
  )
}

function group(v: Values) {
  return {
    role: v.FRESHET_ROLE,
    dataDir: v.FRESHET_DATA_DIR,
    logLevel: v.LOG_LEVEL,
    shutdownSeconds: v.FRESHET_SHUTDOWN_SECONDS,
    database: {
      url: v.DATABASE_URL,
      directUrl: v.DATABASE_DIRECT_URL ?? v.DATABASE_URL,
      migrate: v.FRESHET_MIGRATE,
      pgCron: v.FRESHET_PG_CRON,
      poolSize: v.FRESHET_POOL_SIZE,
    },
    http: {
      host: v.HOST,
      port: v.PORT,
      allowedHosts: v.FRESHET_ALLOWED_HOSTS,
      corsOrigins: v.FRESHET_CORS_ORIGINS,
      proxyHops: v.FRESHET_PROXY_HOPS,
      introspection: v.FRESHET_INTROSPECTION,
      maxDepth: v.FRESHET_MAX_DEPTH,
      maxAliases: v.FRESHET_MAX_ALIASES,
      maxTokens: v.FRESHET_MAX_TOKENS,
      maxCost: v.FRESHET_MAX_COST,
      maxBodyBytes: v.FRESHET_MAX_BODY_BYTES,
      requestSeconds: v.FRESHET_REQUEST_SECONDS,
    },
    access: {
      publicRead: v.FRESHET_PUBLIC_READ,
      adminKey: v.FRESHET_ADMIN_KEY,
      credentialKey: v.CREDENTIAL_ENCRYPTION_KEY_B64,
      olderCredentialKey: v.CREDENTIAL_ENCRYPTION_OLD_KEY_B64,
    },
    outside: {
      allowPlainFtp: v.AFFILIATE_FEED_ALLOW_PLAIN_FTP,
      allowPrivateNetwork: v.FRESHET_ALLOW_PRIVATE_NETWORK,
      userAgent: v.FRESHET_USER_AGENT,
      slackWebhookUrl: v.SLACK_WEBHOOK_URL,
      apifyToken: v.APIFY_TOKEN,
      llm: { url: v.FRESHET_LLM_URL, model: v.FRESHET_LLM_MODEL, key: v.FRESHET_LLM_KEY },
    },
    feeds: { runsPerHost: v.FRESHET_FEEDS_PER_HOST },
    maintenance: { auditKeepDays: v.FRESHET_AUDIT_KEEP_DAYS },
    listings: { softDeleteWindowHours: v.SOFT_DELETE_WINDOW_HOURS, staleDays: v.LISTING_STALE_DAYS },
  }
}
