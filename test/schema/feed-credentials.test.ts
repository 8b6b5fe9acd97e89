import { afterAll, expect, test } from 'vitest'
import { codes, createDocument, number, openFeedStand, problemsOf, updateDocument, whole } from './feed-stand.ts'

const stand = await openFeedStand()
afterAll(() => stand[Symbol.asyncDispose]())
const { app, pool, send, newSource, created, updated, stored, audited } = stand
const operator = await app.keyWith('OPERATE')

test('S2 §10.5: a blank password keeps the one stored; a new one is encrypted anew, under another version', async () => {
  const { id, hasPassword, secretKeyId } = await created(whole)
  expect([hasPassword, typeof secretKeyId]).toEqual([true, 'string'])
  const first = await stored(id)
  for (const password of ['', '   ', null]) await updated({ id, password, holdHours: 100 })
  expect(await stored(id)).toMatchObject({ secret_ciphertext: first.secret_ciphertext, secret_version: 1 })
  await updated({ id, password: 'another' })
  const second = await stored(id)
  expect(second).toMatchObject({ secret_version: 2, secret_key_id: secretKeyId })
  expect(second.secret_ciphertext).not.toEqual(first.secret_ciphertext)
})

test('S2 §10.6: a credential is recorded by the names of its fields alone, and stands in no answer and no line of the log', async () => {
  const canaries = ['canary-password-1', 'canary-passphrase-2', 'canary-user-3', 'canary-key-4']
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${canaries[3]}\n-----END PRIVATE KEY-----`
  const { id } = await created({ ...whole, username: canaries[2], password: canaries[0] })
  const changed = { id, password: canaries[0], privateKey, passphrase: canaries[1], username: `${canaries[2]}b` }
  const answer = JSON.stringify(await updated(changed))
  // What is refused is not told either.
  const refused = await send(updateDocument, { input: { ...changed, holdHours: 0, port: 'x' } })
  for (const canary of [canaries[0]!, canaries[1]!, canaries[3]!]) {
    expect(answer).not.toContain(canary)
    expect(JSON.stringify(refused)).not.toContain(canary)
    expect(app.log.join('\n')).not.toContain(canary)
  }
  const entries = await audited(id)
  expect(JSON.stringify(entries)).not.toMatch(/canary/)
  expect(entries.filter(({ action }) => action === 'CREDENTIAL_CHANGED').map(({ changes }) => changes)).toEqual([
    { username: 'changed', password: 'changed' },
    { username: 'changed', password: 'changed', privateKey: 'changed', passphrase: 'changed' },
  ])
})

test('S2 §17.9: another user name, too, is a change of the credential, told by name alone; one that stays is none', async () => {
  const { id } = await created({ username: 'canary-user-5' })
  await updated({ id, username: 'canary-user-6' })
  await updated({ id, username: 'canary-user-6', password: '  ' })
  const told = (await audited(id)).filter(({ action }) => action === 'CREDENTIAL_CHANGED')
  expect(told.map(({ changes }) => changes)).toEqual([{ username: 'changed' }, { username: 'changed' }])
  const { actor } = (await pool.query('select actor from freshet.audit_log where object_id = $1', [number(id)])).rows[0]
  const lines = app.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const ours = lines.filter(({ event, feedId }) => event === 'CREDENTIAL_CHANGED' && String(feedId) === number(id))
  const line = { level: 'info', fieldName: 'username', changedBy: actor }
  expect(ours).toMatchObject([line, line])
  expect(JSON.stringify(ours)).not.toContain('canary')
})

test('S2 §10.1: what is stored of a credential is not the credential', async () => {
  const { id } = await created({ ...whole, password: 'canary-stored' })
  const dump = await pool.query<{ row: string }>('select f::text as row from freshet.feeds f where id = $1', [
    number(id),
  ])
  expect(dump.rows[0]!.row).not.toContain(Buffer.from('canary-stored').toString('hex'))
  expect(dump.rows[0]!.row).not.toContain('canary-stored')
})

test('a passphrase needs its key beside it', async () => {
  const { id } = await created(whole)
  expect(problemsOf(await send(updateDocument, { input: { id, passphrase: 'x' } }))).toEqual([
    'input.passphrase needs the private key beside it: the one stored cannot be read here.',
  ])
})

test.each([
  ['password', 'a password'],
  ['privateKey', '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----'],
])('DESIGN 8: a %s needs the scope ADMIN', async (field, value) => {
  const input = { sourceId: await newSource(), [field]: value }
  expect(codes(await send(createDocument, { input }, operator))).toEqual([['FORBIDDEN', 'input.password']])
  const { id } = await created()
  expect(codes(await send(updateDocument, { input: { id, [field]: value } }, operator))).toEqual([
    ['FORBIDDEN', 'input.password'],
  ])
  expect(await stored(id)).toMatchObject({ secret_ciphertext: null })
})

test.each([{ host: 'elsewhere.example' }, { port: 2222 }, { transport: 'FTPS' }])(
  'who may not set a credential cannot have the stored one sent elsewhere either: %j',
  async (change) => {
    const { id } = await created(whole)
    const [field] = Object.keys(change)
    expect(codes(await send(updateDocument, { input: { id, ...change } }, operator))).toEqual([
      ['FORBIDDEN', `input.${field}`],
    ])
    expect((await send(updateDocument, { input: { id, path: '/other.csv' } }, operator)).errors).toBeUndefined()
    expect((await send(updateDocument, { input: { id, ...change } })).errors).toBeUndefined()
  },
)

const accept = (id: string, fingerprint: string, only = false) =>
  send(
    'mutation ($id: ID!, $fingerprint: String!, $only: Boolean) { acceptHostKey(id: $id, fingerprint: $fingerprint, only: $only) { id hostKeys } }',
    { id, fingerprint, only },
  )
const keyOf = (letter: string) => `SHA256:${letter.repeat(43)}`

test('issue 5 §1: host keys are accepted beside each other, five of them, or one instead of all', async () => {
  const { id } = await created(whole)
  for (const letter of 'abcde') await accept(id, keyOf(letter))
  expect(codes(await accept(id, keyOf('f')))).toEqual([['CONFLICT', 'fingerprint']])
  expect((await accept(id, `${keyOf('a')}=`)).data!.acceptHostKey!.hostKeys).toHaveLength(5)
  expect((await accept(id, keyOf('f'), true)).data!.acceptHostKey!.hostKeys).toEqual([keyOf('f')])
  expect(codes(await accept(id, 'MD5:00:11'))).toEqual([['BAD_USER_INPUT', 'fingerprint']])
})
