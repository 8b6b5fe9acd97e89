import { expect, test } from 'vitest'
import { naughty } from '../support/naughty.ts'
import { app, tryEverywhere } from '../support/try-everywhere.ts'

// The fault suite tries all of them in every place.
tryEverywhere(naughty, 8)

test('S13: a text in the query itself is looked at too', async () => {
  const { errors } = await app.ask('{ retailers(filter: { q: "a\\u0000b" }) { totalCount } }')
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'query' })
  expect((await app.ask('{ retailers(filter: { q: "a\\uD800" }) { totalCount } }')).errors?.[0]?.extensions.code).toBe(
    'GRAPHQL_PARSE_FAILED',
  )
})

test('S13: a text deep inside variables is named by its place', async () => {
  const query = 'mutation ($input: CreateRetailerInput!) { createRetailer(input: $input) { id } }'
  const { errors } = await app.ask(query, { input: { name: 'fine', tier: 'a\u0000' } }, { key: app.firstKey })
  expect(errors?.[0]).toMatchObject({
    message: 'input.tier: holds a NUL character or half a surrogate pair.',
    extensions: { code: 'BAD_USER_INPUT', field: 'input.tier' },
  })
})
