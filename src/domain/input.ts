import { z } from 'zod'
import { badInput, type Problem } from './errors.ts'

/** Text that Postgres can store as it was sent: it knows no NUL, and half a surrogate pair would be changed silently. */
export const storable = (value: string): boolean => !value.includes('\u0000') && value.isWellFormed()

/** What is said of a value of the wrong kind: `must('a number')`. */
export const must = (what: string) => ({
  error: ({ input }: { input?: unknown }) => {
    if (input === undefined) return 'is required.'
    return input === null ? 'cannot be null.' : `must be ${what}.`
  },
})

/** A text of 1 to `max` characters, without blanks around it. */
export const text = (max: number) =>
  z
    .string(must('text'))
    .trim()
    .min(1, 'must not be blank.')
    .max(max, `must have at most ${max} characters.`)
    .refine(storable, 'holds a NUL character or half a surrogate pair.')

const maxAddress = 2000

/** An http or https address without a user name or password in it, written the way a browser would. */
export const webAddress = z
  .string(must('text'))
  .trim()
  .max(maxAddress, `must have at most ${maxAddress} characters.`)
  .refine(isWebAddress, 'must be an http or https URL without user name and password, as in https://shop.example.')
  .transform((value) => new URL(value))
  .refine(isHostName, 'has a host name of more than 253 characters, or of more than 63 between two dots.')
  .refine(
    ({ href }) => href.length <= maxAddress,
    `must have at most ${maxAddress} characters, escapes (%20) included.`,
  )
  .transform(({ href }) => href)

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value) || !value.isWellFormed()) return false
  const { protocol, username, password, hostname } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && !username && !password && /[^.]\.[^.]/.test(hostname)
}

/** As RFC 1035 §2.3.4 has it, of the name in ASCII: a few international letters can become a thousand characters. */
function isHostName({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => label.length <= 63)
}

/** An input as GraphQL gives it: a field may be null where the domain knows only "not given". */
export type Given<Input> = { [Field in keyof Input]: Input[Field] | null }

/** For new objects, where null and "not given" mean the same: the default. */
export function withoutNulls(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** Checks an input as a whole: the parsed value, or one error that lists every problem with its field. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, root = 'input'): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badInput(toProblems(parsed.error, root))
}

/** As `check`; where the form has problems, those that only the database can see are looked for and told with them. */
export async function checkWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  findMore: () => Promise<Problem[]>,
  root = 'input',
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badInput([...(await findMore()), ...toProblems(parsed.error, root)])
}

const toProblems = ({ issues }: z.ZodError, root: string): Problem[] => issues.map((issue) => toProblem(issue, root))

function toProblem(issue: z.core.$ZodIssue, root: string): Problem {
  const hint: unknown = issue.code === 'custom' ? issue.params?.hint : undefined
  const field = [root, ...issue.path.map(String)].join('.')
  return { field, message: issue.message, ...(typeof hint === 'string' ? { hint } : {}) }
}
