import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alertKinds } from '../src/domain/alerts/alert-kinds.ts'
import { errorCodes } from '../src/domain/error-codes.ts'
import { failureCodes } from '../src/domain/failure-codes.ts'
import { sqlCodes } from '../src/domain/sql-codes.ts'

const read = (...patterns: string[]) =>
  globSync(patterns)
    .filter((path) => !/generated|-codes\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
const sql = read('sql/{functions,triggers,views}/**/*.sql')
const typescript = read('src/**/*.ts')
// Commands, and the database before there is one, have codes of their own.
const ofJobs = read('src/domain/**/*.ts', 'src/jobs/**/*.ts', 'src/db/run-*.ts')

const found = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))]

test('every errcode that SQL raises is registered, and none that it does not raise', () => {
  expect(found(sql, /errcode = '(FR\d+)'/g).toSorted()).toEqual(Object.keys(sqlCodes).toSorted())
})

test('every code that a job, a run or a request fails with is registered', () => {
  const codes = [
    ...found(sql, /p_code => '(\w+)'/g),
    ...found(ofJobs, /(?:\bcode: |super\(|Error(?:<[^>]*>)?\(\s*)'([A-Z][A-Z\d_]+)'/g),
  ]
  expect(codes.length).toBeGreaterThan(15)
  expect(codes.filter((code) => !(code in failureCodes) && !(code in errorCodes))).toEqual([])
})

test('every registered code of a job or run is one that something fails with', () => {
  const unused = Object.keys(failureCodes).filter((code) => !sql.includes(`'${code}'`) && !typescript.includes(code))
  expect(unused).toEqual([])
})

/** Codes that stand in both registries with an entry of their own in each. */
const ambiguous = (ofJobs: Record<string, object>, ofRequests: Record<string, object>) =>
  Object.keys(ofJobs).filter((code) => code in ofRequests && ofJobs[code] !== ofRequests[code])

test('no code means two things: one that requests and jobs fail with has a single entry, in both registries', () => {
  expect(ambiguous(failureCodes, errorCodes)).toEqual([])
  const { CONFLICT } = errorCodes
  expect(ambiguous({ CONFLICT }, errorCodes)).toEqual([])
  expect(ambiguous({ CONFLICT: { ...CONFLICT } }, errorCodes)).toEqual(['CONFLICT'])
})

test('every alert that SQL raises is of a registered kind and severity, and none is registered that is not raised', () => {
  const severitiesOf = new Map<string, readonly string[]>(
    Object.entries(alertKinds).map(([kind, { severities }]) => [kind, severities]),
  )
  const calls = found(sql, /(?<!function )freshet\.raise_alert\(([^;]*);/g)
  const kinds = calls.map((call) => /p_kind => '(\w+)'/.exec(call)?.[1] ?? call)
  expect([...new Set(kinds)].toSorted()).toEqual([...severitiesOf.keys()].toSorted())
  const odd = calls.filter((call, index) => {
    const [, severity] = /p_severity => '(\w+)'/.exec(call) ?? []
    return severity !== undefined && !severitiesOf.get(kinds[index] ?? '')?.includes(severity)
  })
  expect(odd).toEqual([])
})
