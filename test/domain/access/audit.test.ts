import { expect, test } from 'vitest'
import { changedFields, hasChanges } from '../../../src/domain/access/audit.ts'

test('names the fields that differ, with both values', () => {
  const before = { name: 'a', tier: null, url: 'x', hours: 1 }
  expect(changedFields(before, { name: 'b', tier: 'gold', url: null, hours: 1 })).toEqual({
    name: { from: 'a', to: 'b' },
    tier: { from: null, to: 'gold' },
    url: { from: 'x', to: null },
  })
})

test('names what a new object was given, and nothing that it was not', () => {
  expect(changedFields(undefined, { name: 'a', tier: null, url: undefined, trusted: false })).toEqual({
    name: { to: 'a' },
    trusted: { to: false },
  })
})

test('what was not given is not changed', () => {
  expect(changedFields({ name: 'a' }, { name: undefined })).toEqual({})
})

test('of a secret field it says that it changed, of a new object too, and nothing where it was not given', () => {
  const secret = ['password', 'token']
  expect(changedFields({ password: 'a', token: 'b' }, { password: 'c', token: 'b' }, secret)).toEqual({
    password: 'changed',
  })
  expect(changedFields(undefined, { password: 'a', token: null, name: 'x' }, secret)).toEqual({
    password: 'changed',
    name: { to: 'x' },
  })
})

test.each([
  ['dates', new Date(5), new Date(5)],
  ['numbers of rows', 5n, 5n],
  ['lists', ['READ', 'ADMIN'], ['READ', 'ADMIN']],
  ['objects, in whatever order their keys stand', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
])('equal %s are no change', (_what, from, to) => {
  expect(changedFields({ value: from }, { value: to })).toEqual({})
})

test('lists in another order are a change', () => {
  expect(hasChanges(changedFields({ value: [1, 2] }, { value: [2, 1] }))).toBe(true)
})
