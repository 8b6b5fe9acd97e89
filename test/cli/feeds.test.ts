import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { encodeId } from '../../src/domain/global-id.ts'
import { productsOf } from '../support/feed-files.ts'
import { startFeedApp } from '../support/feed-app.ts'
import { until } from '../support/until.ts'
import { credentialKey, run, runJson, start } from './stand.ts'

const feeds = await startFeedApp()
afterAll(() => feeds[Symbol.asyncDispose]())
const { pool, serve, aFeed, numberOf } = feeds
const env = { DATABASE_URL: feeds.app.database.url }

const watch = (id: string, ...more: string[]) => run(['feeds', 'run', id, '--watch', ...more], { env })
/** A worker of its own, beside an API. */
const workerEnv = {
  CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey,
  FRESHET_ALLOW_PRIVATE_NETWORK: 'true',
  FRESHET_PG_CRON: 'false',
}
const lines = (text: string) => text.split('\n').filter(Boolean)

test('S2 §12.2: feeds are listed with network, status, last run, its end and the schedule', async () => {
  serve(productsOf(3))
  const draft = await aFeed({ scheduleFrequencyHours: 6 }, { isEnabled: false, name: 'Drafts via Impact' })
  const timed = await aFeed({ scheduleFrequencyHours: 6 }, { name: 'Alpine via Impact' })
  await feeds.run(timed)
  const { code, out, err } = await run(['feeds', 'list'], { env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ID +NETWORK +STATUS +LAST RUN +ENDED +SCHEDULE +NEXT RUN +NAME$/m)
  expect(out).toMatch(new RegExp(`^${numberOf(draft)} +IMPACT +DRAFT +never +- +every 6 h +- +Drafts via Impact$`, 'm'))
  expect(out).toMatch(
    new RegExp(
      `^${numberOf(timed)} +IMPACT +ENABLED +[\\d.]+ s ago +SUCCEEDED +every 6 h +in 6\\.0 h +Alpine via Impact$`,
      'm',
    ),
  )
  const { answer } = await runJson(['feeds', 'list'], { env })
  expect(answer.feeds.find((feed: { id: string }) => feed.id === timed)).toMatchObject({
    number: numberOf(timed),
    name: 'Alpine via Impact',
    network: 'IMPACT',
    status: 'ENABLED',
    lastRunStatus: 'SUCCEEDED',
    lastRunBlocked: false,
    schedule: 'every 6 h',
  })
})

test('S2 §12.2: a run that ended by a clock ahead of ours ended now, not in time to come', async () => {
  const id = await aFeed({}, { name: 'Ahead via Impact' })
  await pool.query("update freshet.feeds set last_run_at = now() + interval '5 s' where id = $1", [numberOf(id)])
  const { out } = await run(['feeds', 'list'], { env })
  expect(out).toMatch(/ 0\.0 s ago .* Ahead via Impact$/m)
})

test('issue 5 §7: a run is followed through its stages to its end, by number and by global id', async () => {
  serve(productsOf(50))
  const id = await aFeed()
  const first = await watch(numberOf(id))
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' })
  const [title, download, parse, evaluate, promote, end, ...rest] = lines(first.out)
  expect(title).toMatch(new RegExp(`^Run \\d+ of feed ${numberOf(id)}$`))
  expect(download).toMatch(/^DOWNLOAD {2}100 % {2}\d\.\d kB of \d\.\d kB {2}[\d.]+ [kM]?B\/s$/)
  expect(parse).toMatch(/^PARSE {5}100 % {2}\d\.\d kB of \d\.\d kB {2}[\d.]+ [kM]?B\/s {2}50 rows {2}[\d,]+ rows\/s$/)
  expect([evaluate, promote]).toEqual(['EVALUATE', 'PROMOTE'])
  expect(end).toMatch(
    /^Succeeded in [\d.]+ s: 50 rows read, 0 rejected, 50 offers seen, 50 prices written, 0 expired\.$/,
  )
  expect(rest).toEqual([])

  const unchanged = await watch(id)
  expect(unchanged.code).toBe(0)
  expect(unchanged.out).toMatch(/^Succeeded in [\d.]+ s: nothing to do \(UNCHANGED_MTIME\)\.$/m)
  const forced = await watch(id, '--force')
  expect(forced.out).toContain(': 50 rows read, ')
})

test('issue 5 §7: with --json each event is an object on a line of its own, the run as it ended the last', async () => {
  serve(productsOf(50))
  const { code, out, err } = await watch(await aFeed(), '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const said = lines(out).map((line) => JSON.parse(line))
  const events = said.flatMap(({ event }) => event ?? [])
  expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ kind }) => kind === 'STAGE').map(({ stage }) => stage)).toEqual([
    'DOWNLOAD',
    'PARSE',
    'EVALUATE',
    'PROMOTE',
  ])
  const ends = said.flatMap(({ stageEnd }) => stageEnd ?? [])
  expect(ends.map(({ stage }) => stage)).toEqual(['DOWNLOAD', 'PARSE', 'EVALUATE', 'PROMOTE'])
  expect(ends[1].pace).toMatchObject({ rows: 50, percent: 100, secondsLeft: 0 })
  expect(events.at(-1).kind).toBe('SUCCEEDED')
  expect(said.at(-1).run).toMatchObject({ status: 'SUCCEEDED', counters: { rowsRead: 50 }, errorCode: null })
  expect(said.at(-1).run).not.toHaveProperty('approve')
})

test('issue 5 §7: on a terminal each stage has one line with a bar, drawn over until the stage is done', async () => {
  serve(productsOf(50))
  const { code, out } = await run(['feeds', 'run', await aFeed(), '--watch'], { env, isTty: true })
  expect(code).toBe(0)
  const shown = out.split('\n').map((line) => line.split('\r\u001b[K').at(-1))
  expect(shown[1]).toMatch(/^DOWNLOAD {2}█{20} {2}100 % /)
  expect(shown[2]).toMatch(/^PARSE {5}█{20} {2}100 % .* 50 rows /)
  expect(shown.slice(3, 5)).toEqual(['EVALUATE', 'PROMOTE'])
  expect(shown[5]).toMatch(/^Succeeded in /)
})

test('issue 5 §7: a blocked run exits with 1, says why, and the mutation that it prints approves it', async () => {
  serve(productsOf(50))
  const id = await aFeed()
  await feeds.run(id)
  serve(productsOf(30))
  const { code, out, err } = await watch(id)
  expect(code).toBe(1)
  expect(lines(out).at(-1)).toBe('EVALUATE')
  expect(err).toMatch(
    /^error \[SPIKE_THRESHOLD_EXCEEDED\]: Run \d+ was blocked \(SPIKE_THRESHOLD_EXCEEDED\): 20 of 50 active offers would expire\. Consumers see what they saw before\./,
  )
  const [approve] = /^mutation \{ approveActivation.*$/m.exec(err) ?? []
  expect(approve).toContain('expectedWouldExpire: 20')
  expect(await feeds.ask(approve!)).toEqual({ approveActivation: { isDone: true } })
  const { rows } = await pool.query('select approved_at from freshet.feed_runs where feed_id = $1 and is_blocked', [
    numberOf(id),
  ])
  expect(rows).toEqual([{ approved_at: expect.any(Date) }])
})

test('DESIGN 9.21: of a run that is shown but for what would vanish, that is said', async () => {
  serve(productsOf(50))
  const id = await aFeed({ blockPolicy: 'HOLD_REMOVALS' })
  await feeds.run(id)
  serve(productsOf(30, () => ({ price: '11.00' })))
  const { code, out, err } = await watch(id)
  expect([code, lines(out).at(-1)]).toEqual([1, 'PROMOTE'])
  expect(err).toContain(': 20 of 50 active offers would expire. What arrived is shown, and nothing vanishes.')
})

test('DESIGN 9.22: what a run was blocked for is said in figures, with a page of the manual that exists', async () => {
  serve(productsOf(70))
  const id = await aFeed()
  await feeds.run(id)
  serve(productsOf(70, (n) => ({ price: n <= 40 ? 'POA' : `${n + 1}00.00` })))
  const { err } = await watch(id)
  const figures =
    '40 of 70 active offers would expire, 40 of 70 rows were refused, 30 of 30 prices moved, by a factor of [\\d.]+ in the middle'
  expect(err).toMatch(new RegExp(`: ${figures}\\. Consumers see`))
  const [, page = '', heading] = /\(([\w/]+\.md), "(.+?)"\)/.exec(err) ?? []
  expect(readFileSync(page, 'utf8')).toContain(`\n## ${heading}\n`)
})

test('issue 5 §7: a failed run exits with 1 and says why and what to do, never the password', async () => {
  serve(productsOf(5))
  const id = await aFeed({ password: 'canary-wrong' })
  const { code, out, err } = await watch(id)
  expect(code).toBe(1)
  expect(err).toMatch(/^error \[FEED_LOGIN_REFUSED\]: Run \d+ failed: .*\nhint: ./)
  expect(out + err).not.toContain('canary-wrong')
  const { error } = await runJson(['feeds', 'test', id], { env })
  expect(error.code).toBe('FEED_LOGIN_REFUSED')
})

test('RULINGS 16: while a run is at work, the one asked for is said to come after it, and is followed', async () => {
  serve(productsOf(5))
  const id = await aFeed()
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from freshet.feeds where id = $1 for no key update', [numberOf(id)])
  const first = watch(id)
  await until('the first run is at work, and waits for the row', async () => {
    const text = "select from freshet.runs where lock_id = $1 and status = 'RUNNING'"
    return (await pool.query(text, [numberOf(id)])).rowCount === 1
  })
  let said = ''
  const second = run(['feeds', 'run', id, '--watch'], { env, onOut: (all) => (said = all) })
  await until('the second waits', () => said.includes('is at work: the one asked for comes after it.'))
  await holder.query('commit')
  holder.release()
  expect([(await first).code, (await second).code]).toEqual([0, 0])
  expect((await second).out).toContain('UNCHANGED_MTIME')
})

test('a feed that does not run is not asked to; nor is one that is not there, nor a thing that is no feed', async () => {
  serve(productsOf(5))
  const draft = await aFeed({}, { isEnabled: false })
  for (const argv of [
    ['feeds', 'run', draft],
    ['feeds', 'run', draft, '--watch'],
  ]) {
    const { code, error } = await runJson(argv, { env })
    expect([code, error.code]).toEqual([1, 'FEED_NOT_ENABLED'])
  }
  for (const command of ['run', 'test']) {
    const gone = await runJson(['feeds', command, '987654321'], { env })
    expect([gone.code, gone.error.code]).toEqual([1, 'NOT_FOUND'])
    for (const wrong of [encodeId('Source', 1), 'nonsense', '0', '-1']) {
      const { code, error } = await runJson(['feeds', command, '--', wrong].toSpliced(2, 1), { env })
      expect([wrong, code, error.code]).toEqual([wrong, 2, 'WRONG_USAGE'])
    }
  }
})

test('S2 §12.5: a feed is tried in whatever status, and shows what its rows would become', async () => {
  serve(productsOf(120, (n) => ({ title: `Thing ${n}`, price: n === 2 ? 'POA' : '12.50' })))
  const id = await aFeed({}, { isEnabled: false })
  const { code, out, err } = await run(['feeds', 'test', numberOf(id)], { env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^File +[\d.]+ kB, NONE, UTF-8, fields apart by ","$/m)
  expect(out).toMatch(/^Columns +.*salePrice = CurrentPrice/m)
  expect(out).toMatch(/^Rows +100 looked at, 1 of them with errors$/m)
  expect(out).toMatch(/^i1 +12\.50 USD +in stock +Thing 1$/m)
  expect(out).toMatch(/^[A-Z_]+ in line 3: /m)
  const { answer } = await runJson(['feeds', 'test', id], { env })
  expect(answer.test).toMatchObject({ success: true, rowsDetected: 100, sampleRows: { length: 10 } })
  const { rows } = await pool.query('select status from freshet.feeds where id = $1', [numberOf(id)])
  expect(rows).toEqual([{ status: 'DRAFT' }])
})

test('S2 §12.5: a test without a row that makes an offer exits with 1, and shows what was found all the same', async () => {
  serve(productsOf(3, () => ({ price: 'POA' })))
  const { code, out, err } = await run(['feeds', 'test', await aFeed()], { env })
  expect(code).toBe(1)
  expect(out).toMatch(/^Rows +3 looked at/m)
  expect(err).toMatch(/^error \[FEED_HAS_NO_ROWS\]/)
  expect(out).not.toContain('FEED_WITHOUT_ROWS')
})

test('S2 §12.5: a test of a file with nothing but a header says so', async () => {
  serve(productsOf(0))
  const { code, out } = await run(['feeds', 'test', await aFeed()], { env })
  expect(code).toBe(1)
  expect(out).toMatch(/^FEED_WITHOUT_ROWS: The file has a header, and no row below it\.$/m)
})

test('where no worker runs, that is said, and who would wait may say how long', async () => {
  await using alone = await startFeedApp({ env: { FRESHET_ROLE: 'api' } })
  const own = { DATABASE_URL: alone.app.database.url }
  const id = await alone.aFeed()

  const asked = await run(['feeds', 'run', id], { env: own })
  expect(asked).toMatchObject({ code: 0, err: '' })
  expect(asked.out).toMatch(/: request 1\. It begins when a worker runs: none does\.$/m)

  const given = await run(['feeds', 'run', id, '--watch', '--worker-within', '0'], { env: own })
  expect(given.code).toBe(1)
  expect(given.out).toContain('No worker is running: this waits until one does.')
  expect(given.err).toMatch(/^error \[NO_WORKER\]: .*\nhint: Start one with "freshet start"/)
  const tried = await runJson(['feeds', 'test', id, '--worker-within', '0'], { env: own })
  expect([tried.code, tried.error.code]).toEqual([1, 'NO_WORKER'])
})

test('a run that was asked for while no worker ran is followed as soon as one does', async () => {
  await using alone = await startFeedApp({ env: { FRESHET_ROLE: 'api' } })
  const own = { DATABASE_URL: alone.app.database.url }
  alone.serve(productsOf(5))
  const id = await alone.aFeed()

  let said = ''
  const watching = run(['feeds', 'run', id, '--watch'], { env: own, onOut: (all) => (said = all) })
  await until('it is said that nobody works', () => said.includes('No worker is running'))
  await using _worker = start(['start', '--role', 'worker', '--json'], { ...own, ...workerEnv })
  expect(await watching).toMatchObject({ code: 0, out: expect.stringContaining('5 offers seen') })
})

test('R9: what consumers see is derived from history anew, of one source or of all; what was wrong is counted', async () => {
  serve(productsOf(20))
  const id = await aFeed()
  await feeds.run(id)
  const { rows } = await pool.query<{ id: string }>('select source_id as id from freshet.feeds where id = $1', [
    numberOf(id),
  ])
  const source = rows[0]!.id
  const rebuild = (...more: string[]) => run(['offers', 'rebuild', ...more], { env })
  expect(await rebuild('--source', source)).toEqual({ code: 0, out: 'Every offer is as history says.\n', err: '' })
  const spoil = "update freshet.current_offers set title = 'spoilt' where source_id = $1 and title like '%i1%'"
  const { rowCount } = await pool.query(spoil, [source])
  expect(await rebuild('--source', encodeId('Source', source))).toMatchObject({
    out: `${rowCount} offers were wrong and were put right.\n`,
  })
  await pool.query(spoil, [source])
  expect((await runJson(['offers', 'rebuild'], { env })).answer).toEqual({ corrected: rowCount })
  const audited = await pool.query(
    "select changes from freshet.audit_log where action = 'REBUILD_OFFERS' order by id desc limit 2",
  )
  expect(audited.rows.map(({ changes }) => changes)).toEqual([
    { corrected: { to: rowCount } },
    { sourceId: { to: source }, corrected: { to: rowCount } },
  ])
  const gone = await runJson(['offers', 'rebuild', '--source', '987654321'], { env })
  expect([gone.code, gone.error.code]).toEqual([1, 'NOT_FOUND'])
})
