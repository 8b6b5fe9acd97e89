import { lexicographicSortSchema, printSchema } from 'graphql'
import { errorCodes } from '../src/domain/error-codes.ts'
import { variables } from '../src/config-variables.ts'
import { schema } from '../src/schema/index.ts'

/** Files that are made from the code and committed, because people read them: the path, and what it should hold. */
export const generatedTexts: Record<string, () => string> = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'docs/errors.md': errorsPage,
  'docs/configuration.md': configurationPage,
}

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { meaning, hint, ...rest }]) =>
      `| \`${code}\` | ${'status' in rest ? rest.status : '200'} | ${meaning} | ${hint} |`,
  )
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
${rows.join('\n')}

This page is made from \`src/domain/error-codes.ts\` by \`npm run generate\`.
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
problem is reported at once. \`freshet config\` shows the effective values, with secrets masked; \`freshet doctor\` checks them.

| variable | default | what it is for | example |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/config-variables.ts\` by \`npm run generate\`.
`
}
