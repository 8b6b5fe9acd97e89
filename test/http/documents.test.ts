import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { createDocumentCache } from '../../src/http/documents.ts'

const document = parse('{ __typename }')

test('a document is found again by its text', () => {
  const { documentCache } = createDocumentCache()
  documentCache?.set('a', document)
  expect(documentCache?.get('a')).toBe(document)
  expect(documentCache?.get('b')).toBeUndefined()
})

test('a thousand are kept, those that were used last', () => {
  const { documentCache } = createDocumentCache()
  documentCache?.set('early', document)
  documentCache?.set('used', document)
  for (let index = 0; index < 998; index++) documentCache?.set(`${index}`, document)
  documentCache?.get('used')
  documentCache?.set('new', document)
  documentCache?.set('newer', document)
  expect(['early', 'used', '0', '1', 'new'].map((text) => documentCache?.get(text) !== undefined)).toEqual([
    false,
    true,
    false,
    true,
    true,
  ])
})

test('long documents, and those that could not be read, are not kept: they would fill the memory', () => {
  const { documentCache, errorCache } = createDocumentCache()
  documentCache?.set('x'.repeat(20_000), document)
  documentCache?.set('x'.repeat(20_001), document)
  errorCache?.set('{', new Error('unreadable'))
  expect(documentCache?.get('x'.repeat(20_000))).toBe(document)
  expect(documentCache?.get('x'.repeat(20_001))).toBeUndefined()
  expect(errorCache?.get('{')).toBeUndefined()
})
