import { lexicographicSortSchema, printSchema } from 'graphql'
import { variables } from '../src/config-variables.ts'
import { alertKinds } from '../src/domain/alerts/alert-kinds.ts'
import { errorCodes } from '../src/domain/error-codes.ts'
import { failureCodes } from '../src/domain/failure-codes.ts'
import { sqlCodes } from '../src/domain/sql-codes.ts'
import { schema } from '../src/schema/index.ts'

/** Files that are made from the code and committed, because people read them: the path, and what it should hold. */
export const generatedTexts: Record<string, () => string> = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'docs/errors.md': errorsPage,
  'docs/alerts.md': alertsPage,
  'docs/configuration.md': configurationPage,
}

function errorsPage(): string {
  const ofApi = Object.entries(errorCodes).map(
    ([code, { meaning, hint, ...rest }]) =>
      `| \`${code}\` | ${'status' in rest ? rest.status : '200'} | ${meaning} | ${hint} |`,
  )
  const ofJobs = Object.entries(failureCodes).map(
    ([code, { meaning, hint }]) => `| \`${code}\` | ${meaning} | ${hint} |`,
  )
  const ofSql = Object.entries(sqlCodes).map(([code, refused]) => `| \`${code}\` | ${refused} |`)
  return `# Errors

Every error that a client may act on carries \`extensions.code\`; the codes below are stable. Beside it may stand:

- \`extensions.field\`: the argument or input field that it is about, as \`input.name\`;
- \`extensions.hint\`: what to do;
- \`extensions.problems\`: every problem of the input, each with \`field\` and \`message\`;
- \`extensions.requestId\`: on faults of ours, what to look for in the server log. Every answer has it as the header \`x-request-id\`.

The status is that of the whole answer. A GraphQL error inside an answer with data leaves it at 200. Errors outside GraphQL
(\`/readyz\`, a body that is too large, an unknown path) are \`application/problem+json\` as in RFC 9457.

| code | status | meaning | what to do |
|---|---|---|---|
${ofApi.join('\n')}

## Of jobs and runs

What a job says under \`error\`, a run under \`errorCode\`, and its \`errors\` of single rows. The hint beside it may say more than this
table. Codes that are not here are those of the system (\`ECONNREFUSED\`) or of a command.

| code | meaning | what to do |
|---|---|---|
${ofJobs.join('\n')}

## Of our SQL

Functions refuse with an \`errcode\` of their own; whoever calls them from outside sees it.

| code | refused |
|---|---|
${ofSql.join('\n')}

This page is made from \`error-codes.ts\`, \`failure-codes.ts\` and \`sql-codes.ts\` in \`src/domain\` by \`npm run generate\`.
`
}

function alertsPage(): string {
  const rows = Object.entries(alertKinds).map(
    ([kind, { severities, meaning, advice, ends }]) =>
      `| \`${kind}\` | ${severities.join(', then ')} | ${meaning} | ${advice} | ${ends} |`,
  )
  return `# Kinds of alerts

P1: now. P2: today. P3: when there is time. [Operations](operations.md#alerts) says how alerts reach people.

| kind | severity | means | do | ends |
|---|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/domain/alerts/alert-kinds.ts\` by \`npm run generate\`.
`
}

function configurationPage(): string {
  const rows = Object.entries(variables).map(([name, { schema: type, about, secret, example }]) => {
    const standard = type.safeParse(undefined)
    const shown = standard.success && standard.data !== undefined ? String(standard.data) : ''
    return `| \`${name}\` | ${shown ? `\`${shown}\`` : '–'} | ${about}${secret ? ' *Secret.*' : ''} | \`${example}\` |`
  })
  return `# Configuration

The environment is read once, at the start, together with a \`.env\` file in the working directory; the environment wins. Every
problem is reported at once; a line of the file that is not understood is one. \`freshet config\` shows the effective values, with secrets masked; \`freshet doctor\` checks them.

| variable | default | what it is for | example |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/config-variables.ts\` by \`npm run generate\`.
`
}
