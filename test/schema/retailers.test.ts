import { afterAll, expect, test } from 'vitest'
import { readId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { CreateRetailer, UpdateRetailer } from '../support/documents.ts'
import { whileHeld } from '../support/while-held.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const key = app.firstKey

const create = async (input: { name: string } & Record<string, unknown>) =>
  (await app.send(CreateRetailer, { input })).createRetailer
const createQuery = 'mutation ($input: CreateRetailerInput!) { createRetailer(input: $input) { id slug } }'
const updateQuery = 'mutation ($input: UpdateRetailerInput!) { updateRetailer(input: $input) { id } }'

test('makes a slug from the name, and the domain from the website', async () => {
  expect(await create({ name: '  Möbel & Co.  ', website: 'HTTPS://WWW.Shop.Möbel.example:443' })).toEqual({
    id: expect.any(String) as string,
    slug: 'mobel-co',
    name: 'Möbel & Co.',
    website: 'https://www.shop.xn--mbel-5qa.example/',
    domain: 'xn--mbel-5qa.example',
    logoUrl: null,
    tier: null,
  })
})

test('keeps a slug that was given', async () => {
  expect(await create({ name: '書店', slug: 'books' })).toMatchObject({ name: '書店', slug: 'books', domain: null })
})

test('asks for a slug where none can be made from the name', async () => {
  const { errors } = await app.ask(createQuery, { input: { name: '書店' } }, { key })
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    problems: [
      {
        field: 'input.slug',
        message: 'is needed, because the name holds no letter a–z and no digit to make one from.',
      },
    ],
  })
})

test('null means not given for a new retailer', async () => {
  const given = { name: 'Null Shop', slug: null, website: null, logoUrl: null, tier: null }
  expect(await create(given)).toMatchObject({
    slug: 'null-shop',
    website: null,
    domain: null,
    logoUrl: null,
    tier: null,
  })
})

test('reports every problem of an input at once, each with its field', async () => {
  const input = {
    name: ' ',
    slug: 'Not A Slug',
    website: 'ftp://shop.example',
    logoUrl: 'javascript:alert(1)',
    tier: 'x'.repeat(51),
  }
  const { errors } = await app.ask(createQuery, { input }, { key })
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(errors?.[0]?.extensions.field).toBe('input.name')
  expect(errors?.[0]?.extensions.problems?.map(({ field }) => field)).toEqual([
    'input.name',
    'input.slug',
    'input.website',
    'input.logoUrl',
    'input.tier',
  ])
})

test('a click too many finds the retailer there already', async () => {
  const input = { name: 'Twice' }
  const answers = await Promise.all([1, 2].map(() => app.ask(createQuery, { input }, { key })))
  const [refused, ...others] = answers.flatMap(({ errors }) => errors ?? [])
  expect(others).toEqual([])
  expect(refused).toMatchObject({
    message: 'A retailer with the slug "twice" exists already.',
    extensions: { code: 'ALREADY_EXISTS', field: 'input.slug' },
  })
  const { rows } = await app.pool.query("select count(*)::int as n from freshet.retailers where slug = 'twice'")
  expect(rows).toEqual([{ n: 1 }])
})

test('an update changes what it names and clears what it sets to null', async () => {
  const { id } = await create({
    name: 'Change',
    website: 'https://a.example',
    logoUrl: 'https://a.example/l',
    tier: 'gold',
  })
  const update = async (input: object) => (await app.send(UpdateRetailer, { input: { id, ...input } })).updateRetailer
  expect(await update({ website: 'https://www.b.example/shop' })).toMatchObject({
    name: 'Change',
    slug: 'change',
    website: 'https://www.b.example/shop',
    domain: 'b.example',
    logoUrl: 'https://a.example/l',
    tier: 'gold',
  })
  expect(await update({ website: null, tier: null })).toMatchObject({
    website: null,
    domain: null,
    logoUrl: 'https://a.example/l',
    tier: null,
  })
})

test('an update cannot clear the name or the slug', async () => {
  const { id } = await create({ name: 'Named' })
  const { errors } = await app.ask(updateQuery, { input: { id, name: null, slug: null } }, { key })
  expect(errors?.[0]?.extensions.problems).toEqual([
    { field: 'input.name', message: 'cannot be null.' },
    { field: 'input.slug', message: 'cannot be null.' },
  ])
})

test('a refused list names each place as a field and in no other way', async () => {
  const query = 'mutation ($csv: String!) { importRetailers(csv: $csv) { rows } }'
  const { errors } = await app.ask(query, { csv: 'name,slug\nA,BAD' }, { key })
  expect(errors?.[0]?.extensions.problems).toEqual([
    { field: 'csv.line 2.slug', message: 'may hold only a–z, 0–9 and single hyphens, as in big-shop.' },
  ])
})

test('an update to a slug that is taken is refused', async () => {
  await create({ name: 'Taken' })
  const { id } = await create({ name: 'Taker' })
  const { errors } = await app.ask(updateQuery, { input: { id, slug: 'taken' } }, { key })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'ALREADY_EXISTS', field: 'input.slug' })
})

const changesOf = async (id: string) =>
  (
    await app.pool.query<{ changes: unknown }>(
      "select changes from freshet.audit_log where action = 'UPDATE_RETAILER' and object_id = $1 order by id",
      [readId(id)!.id],
    )
  ).rows.map(({ changes }) => changes)

test('an update waits for another at work: nothing is lost, and its record begins where the other ended', async () => {
  const { id } = await create({ name: 'Busy', tier: 'start' })
  const hold = (client: Pick<typeof app.pool, 'query'>) =>
    client.query("update freshet.retailers set tier = 'other', logo_url = 'https://other.example/' where id = $1", [
      readId(id)!.id,
    ])
  const update = () => app.send(UpdateRetailer, { input: { id, tier: 'mine', website: 'https://mine.example' } })
  expect((await whileHeld(app.pool, hold, update)).updateRetailer).toMatchObject({
    tier: 'mine',
    logoUrl: 'https://other.example/',
    website: 'https://mine.example/',
  })
  expect(await changesOf(id)).toMatchObject([{ tier: { from: 'other', to: 'mine' } }])
})
