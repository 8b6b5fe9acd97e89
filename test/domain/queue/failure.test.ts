import { expect, test } from 'vitest'
import { failureOf, readAttempts, readFailure } from '../../../src/domain/queue/failure.ts'
import { JobError, PermanentError } from '../../../src/domain/queue/job-error.ts'

test.each([
  [
    'an error of ours',
    new PermanentError('Gone.', { code: 'SLACK_WEBHOOK_GONE', hint: 'Look.' }),
    'SLACK_WEBHOOK_GONE',
    'Gone.',
    'Look.',
  ],
  ['one of the system', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED', 'no', null],
  ['one of Postgres', Object.assign(new Error('no'), { code: '22012' }), 'DATABASE_ERROR', 'no', null],
  ['one that a function raised', Object.assign(new Error('no'), { code: 'P0001' }), 'DATABASE_ERROR', 'no', null],
  ['one of a pipe', Object.assign(new Error('no'), { code: 'EPIPE' }), 'EPIPE', 'no', null],
  ['one with an odd code', Object.assign(new Error('no'), { code: { toString: 1 } }), 'UNEXPECTED_ERROR', 'no', null],
  [
    'one whose message is no text',
    Object.assign(new Error(), { message: { a: 1 } }),
    'UNEXPECTED_ERROR',
    '{ a: 1 }',
    null,
  ],
  ['one without a code', new TypeError('no'), 'UNEXPECTED_ERROR', 'no', null],
  ['no error at all', 'no', 'UNEXPECTED_ERROR', 'no', null],
])('what is kept of %s', (_name, error, code, message, hint) => {
  expect(failureOf(error)).toEqual({ code, message, hint })
})

test('a password in an address is kept neither in the message nor in the hint', () => {
  const address = 'sftp://bob:hunter2@files.example'
  expect(
    failureOf(new PermanentError(`${address} is gone.`, { code: 'SLACK_WEBHOOK_GONE', hint: `See ${address}.` })),
  ).toEqual({
    code: 'SLACK_WEBHOOK_GONE',
    message: 'sftp://bob:********@files.example is gone.',
    hint: 'See sftp://bob:********@files.example.',
  })
})

test.each([
  [{ value: { message: 'job heartbeat timeout' } }, 'WORKER_LOST', 'job heartbeat timeout'],
  [{ value: { message: 'job timed out' } }, 'JOB_TIMED_OUT', 'job timed out'],
  [{ value: 'handler timeout' }, 'JOB_TIMED_OUT', 'handler timeout'],
  [{ code: 'SLACK_WEBHOOK_GONE', message: 'Gone.', attempts: 2 }, 'SLACK_WEBHOOK_GONE', 'Gone.'],
])('%j is read as %s', (output, code, message) => {
  expect(readFailure(output)).toEqual({ code, message, hint: null })
})

test.each([null, 'text', {}, { snoozed: 'busy' }])('%j tells of no failure and of no attempts', (output) => {
  expect([readFailure(output), readAttempts(output)]).toEqual([undefined, undefined])
})

test.each([
  ['a JobError', JobError],
  ['a PermanentError', PermanentError],
])('that the end of its run is not counted is kept with %s, and read again', (_name, Thrown) => {
  const told = { code: 'SLACK_REFUSED', message: 'Not now.', hint: 'Later.' } as const
  const kept = failureOf(new Thrown(told.message, { ...told, isCounted: false }))
  expect(kept).toEqual({ ...told, isCounted: false })
  expect(readFailure(JSON.parse(JSON.stringify({ ...kept, attempts: 1 })))).toEqual(kept)
  expect(failureOf(new Thrown(told.message, { ...told, isCounted: true }))).toEqual(told)
})

test.each([true, 'false', 0, null])('only false says that an end is not counted, not %j', (isCounted) => {
  expect(readFailure({ code: 'SLACK_REFUSED', message: 'No.', isCounted })).not.toHaveProperty('isCounted')
})

test('how often a job was tried is read where it is kept', () => {
  expect(readAttempts({ code: 'SLACK_WEBHOOK_GONE', message: 'Gone.', attempts: 2 })).toBe(2)
})

test.each([
  [{ code: 'SLACK_WEBHOOK_GONE', message: 'Gone.', hint: { a: 1 } }, 'Gone.'],
  [{ code: 'SLACK_WEBHOOK_GONE', message: 'Gone\u0000.' }, 'Gone\uFFFD.'],
])('%j is read although a part of it is odd', (output, message) => {
  expect(readFailure(output)).toEqual({ code: 'SLACK_WEBHOOK_GONE', message, hint: null })
})

test('a message and a hint are kept to 2,000 characters', () => {
  const tell = (length: number) =>
    failureOf(new PermanentError('m'.repeat(length), { code: 'SLACK_WEBHOOK_GONE', hint: 'h'.repeat(length) }))
  expect(tell(2_000)).toEqual({ code: 'SLACK_WEBHOOK_GONE', message: 'm'.repeat(2_000), hint: 'h'.repeat(2_000) })
  expect(tell(2_001)).toEqual({
    code: 'SLACK_WEBHOOK_GONE',
    message: `${'m'.repeat(1_999)}…`,
    hint: `${'h'.repeat(1_999)}…`,
  })
})
