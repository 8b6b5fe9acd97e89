import { expect, test } from 'vitest'
import { showPayload } from '../../../src/domain/queue/show-payload.ts'

test('a payload is shown up to 100 levels and 100,000 characters', () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  const long = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) })
  expect([showPayload(nested(100)), showPayload(nested(101))]).toEqual([nested(100), 'too large to show'])
  expect([showPayload(long(100_000)), showPayload(long(100_001))]).toEqual([long(100_000), 'too large to show'])
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown
  expect(showPayload(deep)).toBe('too large to show')
})
