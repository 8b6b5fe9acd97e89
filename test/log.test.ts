import { expect, test } from 'vitest'
import {
  addSecrets,
  createLog,
  currentRequestId,
  reason,
  scrub as scrubAtWork,
  scrubber,
  withLogFields,
} from '../src/log.ts'
import { collectLines } from './support/lines.ts'

const colour = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')
const key = `frs_${'Ab3_-'.repeat(8)}xyz`

test('in production a line is JSON: time, level, message, and what was given', () => {
  const { lines, stream } = collectLines()
  createLog({ level: 'info', destination: stream }).warn({ answer: 42 }, 'look')
  expect(lines).toHaveLength(1)
  const { time, ...line } = JSON.parse(lines[0] ?? '') as { time: string }
  expect(line).toEqual({ level: 'warn', answer: 42, msg: 'look' })
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('on a terminal a line is made for reading', () => {
  const { lines, stream } = collectLines()
  createLog({ level: 'info', readable: true, destination: stream }).warn({ answer: 42 }, 'look')
  expect(lines.join('\n').replaceAll(colour, '')).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: look \{"answer":42\}$/)
})

test('lines below the level are not written', () => {
  const { lines, stream } = collectLines()
  const log = createLog({ level: 'warn', destination: stream })
  log.info('quiet')
  log.error('loud')
  expect(lines).toHaveLength(1)
})

test('an error is logged with its stack and its cause', () => {
  const { lines, stream } = collectLines()
  const err = new Error('outer', { cause: new Error('inner') })
  createLog({ level: 'info', destination: stream }).error({ err }, 'failed')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: { type: 'Error', message: expect.stringContaining('outer'), stack: expect.stringMatching(/\n +at .*inner/s) },
  })
})

test('fields that are set at the door are on every line inside, however deep, and on none outside', async () => {
  const { lines, stream } = collectLines()
  const log = createLog({ level: 'info', destination: stream })
  await withLogFields({ requestId: 'r1' }, async () => {
    log.info({ extra: 1 }, 'a')
    await new Promise((resolve) => setImmediate(resolve))
    expect(currentRequestId()).toBe('r1')
    withLogFields({ job: 'j1' }, () => log.info('b'))
    log.info('c')
  })
  log.info('d')
  expect(currentRequestId()).toBeUndefined()
  const seen = lines.map((line) => {
    const { level: _level, time: _time, ...rest } = JSON.parse(line) as Record<string, unknown>
    return rest
  })
  expect(seen).toEqual([
    { requestId: 'r1', extra: 1, msg: 'a' },
    { requestId: 'r1', job: 'j1', msg: 'b' },
    { requestId: 'r1', msg: 'c' },
    { msg: 'd' },
  ])
})

const scrub = scrubber(['s3cret"with\\quotes', 'pass', 'password', 'two\nlines'])
const texts: [string, string, string][] = [
  ['a known secret', 'x s3cret"with\\quotes y', 'x ******** y'],
  ['a known secret in JSON', JSON.stringify({ a: 's3cret"with\\quotes' }), '{"a":"********"}'],
  ['a secret of two lines in JSON', JSON.stringify({ a: 'two\nlines' }), '{"a":"********"}'],
  ['each time it stands there', 'pass pass', '******** ********'],
  ['the longer of two secrets as a whole', 'my password', 'my ********'],
  ['a key', `Bearer ${key}.`, 'Bearer frs_********.'],
  ['keys in a row', `${key} ${key}`, 'frs_******** frs_********'],
  ['the password in an address', 'postgres://me:hunter2@db.example/x', 'postgres://me:********@db.example/x'],
  ['a password without a user', 'redis://:hunter2@db.example', 'redis://:********@db.example'],
  ['a password with odd characters', 'ftp://me:h%40/u?n#t@db.example', 'ftp://me:********@db.example'],
  ['a known secret in the query of an address', '/f?t=s3cret%22with%5Cquotes&x', '/f?t=********&x'],
  [
    'addresses in JSON',
    '{"a":"http://u:p@x","b":"http://v:q@y"}',
    '{"a":"http://u:********@x","b":"http://v:********@y"}',
  ],
]
for (const [name, text, clean] of texts) {
  test(`${name} is taken out`, () => {
    expect(scrub(text)).toBe(clean)
  })
}

for (const text of ['frs_short', 'http://localhost:4000/graphql', 'me@example.org', 'a: b', '']) {
  test(`"${text}" is left as it is`, () => {
    expect(scrub(text)).toBe(text)
  })
}

test('nothing that is known gets into the log, whichever way', () => {
  for (const readable of [false, true]) {
    const { lines, stream } = collectLines()
    const log = createLog({ level: 'info', secrets: ['s3cret"quoted'], readable, destination: stream })
    const err = Object.assign(new Error('s3cret"quoted'), { url: 'postgres://me:hunter2@x', key })
    log.error({ err, 's3cret"quoted': { deep: ['s3cret"quoted'] } }, `s3cret"quoted ${key}`)
    withLogFields({ requestId: key }, () => log.info('inside'))
    expect(lines.join('\n')).not.toMatch(/s3cret|hunter2|Ab3/)
  }
})

test('a secret learned at work is taken out of every later line of that job and of what it keeps', async () => {
  const { lines, stream } = collectLines()
  const log = createLog({ level: 'info', secrets: ['hunter2hunter'], destination: stream })
  await withLogFields({ jobId: 'j1' }, async () => {
    await withLogFields({ stage: 'LOGIN' }, async () => addSecrets('hunter2', 'p"w\\d'))
    log.error({ err: new Error('login as bob with hunter2', { cause: new Error('p"w\\d') }), hunter2: 1 }, 'hunter2')
    await new Promise((resolve) => setImmediate(resolve))
    log.info('hunter2hunter')
    expect(scrubAtWork('bob:hunter2, p"w\\d, p%22w%5Cd')).toBe('bob:********, ********, ********')
  })
  expect(lines).toHaveLength(2)
  expect(lines.join('\n')).not.toMatch(/hunter|w\\/)
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ jobId: 'j1', msg: '********' })
})

test('a secret of one job is none of the job beside it, nor of what comes after', async () => {
  const seen = await Promise.all(
    ['first', 'second'].map((name) =>
      withLogFields({ name }, async () => {
        addSecrets(`the ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        return scrubAtWork('the first, the second')
      }),
    ),
  )
  expect(seen).toEqual(['********, the second', 'the first, ********'])
  expect(scrubAtWork('the first, the second')).toBe('the first, the second')
})

test('a secret of less than four characters is left, and none is none', () => {
  withLogFields({}, () => {
    addSecrets('', 'abc', 'abcd', '\uD800-lone')
    expect(scrubAtWork('abc abcd')).toBe('abc ********')
  })
})

test('a secret that belongs to nothing at work is refused, because nothing would take it out', () => {
  expect(() => addSecrets('hunter2')).toThrow('see withLogFields')
})

const nasty: [string, string][] = [
  ['one long word', 'a'.repeat(1_000_000)],
  ['many beginnings of an address', '://a:'.repeat(200_000)],
  ['many beginnings of a key', 'frs_'.repeat(250_000)],
  ['an address without an end', `://${'a'.repeat(500_000)}:${'b'.repeat(500_000)}`],
]
for (const [name, text] of nasty) {
  test(`a megabyte of ${name} is looked through in no time`, () => {
    const started = performance.now()
    scrub(text)
    expect(performance.now() - started).toBeLessThan(1000)
  })
}

test('a reason is the message, or what there is instead', () => {
  expect(reason(new Error('broken'))).toBe('broken')
  expect(reason(Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
  expect(reason(new TypeError())).toBe('TypeError')
  expect(reason('text')).toBe('text')
  expect(reason({ message: 'said so', queue: 'q' })).toBe('said so')
  expect(reason({ code: '57P01' })).toBe('57P01')
  expect(reason({ queue: 'q' })).toBe("{ queue: 'q' }")
  expect(reason(null)).toBe('null')
  expect(reason(undefined)).toBe('undefined')
})
