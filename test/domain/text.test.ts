import { expect, test } from 'vitest'
import { cleanJson, cleanOutput, cleanText, isDeeper } from '../../src/domain/text.ts'

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

test.each([
  ['a\u0000b', 'a\uFFFDb'],
  ['half \uD83D', 'half \uFFFD'],
  ['\uDE00 half', '\uFFFD half'],
  ['whole 😀', 'whole 😀'],
])('%j is kept as %j', (text, kept) => {
  expect(cleanText(text)).toBe(kept)
  expect(JSON.parse(cleanJson({ [text]: [text] }))).toEqual({ [kept]: [kept] })
})

test('a text is cut at its limit, and never leaves half a character', () => {
  expect([cleanText('abcd', 4), cleanText('abcde', 4), cleanText('ab😀de', 4)]).toEqual(['abcd', 'abc…', 'ab\uFFFD…'])
})

test.each(['\\u0000', '\\\\u0000', '\\ud83d', '"\\', '\\\uD83D'.toWellFormed()])(
  'the text %j stays as it is',
  (text) => {
    expect(JSON.parse(cleanJson(text))).toBe(text)
  },
)

test('an output of 100,000 bytes is kept, one byte more is not', () => {
  const output = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
  expect(cleanOutput(output(100_000))).toEqual(output(100_000))
  expect(cleanOutput(output(100_001))).toEqual({ note: 'The output is not kept: it has more than 100000 bytes.' })
})

test('an output of 100 levels is kept, one level more is not', () => {
  expect([isDeeper(nested(100)), isDeeper(nested(101))]).toEqual([false, true])
  expect(cleanOutput(nested(100))).toEqual(nested(100))
  expect(cleanOutput(nested(101))).toEqual({ note: 'The output is not kept: it is more than 100 levels deep.' })
})

test('an output that holds itself, or is no JSON, becomes a note', () => {
  const circle: { self?: object } = {}
  circle.self = circle
  expect(cleanOutput(circle)).toEqual({ note: 'The output is not kept: it is more than 100 levels deep.' })
  expect(cleanOutput({ count: 1n })).toEqual({ note: 'The output is not kept: it is no JSON.' })
})
