import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { jobsIn, makeFailure, makeJob, makeQueue } from '../support/queue.ts'
import { launchChromium, watchPage } from './chromium.ts'

let app: TestApp
let browser: Browser
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  app = resources.use(await startTestApp({ env: { FRESHET_ROLE: 'api' } }))
  browser = await launchChromium()
  resources.defer(() => browser.close())
})
afterAll(() => resources.disposeAsync())

test('an administrator sees the queues in a browser and retries a failed job', async () => {
  const { pool } = app
  await makeQueue(pool, 'parcel')
  await makeJob(pool, 'parcel', {}, { feedId: '1' })
  const { id } = await makeFailure(pool, 'parcel', { payload: { feedId: '2' } })
  const credentials = { username: 'me', password: app.firstKey }
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, httpCredentials: credentials })
  const { page, complaints } = await watchPage(context, app.url)

  await page.goto(`${app.url}/queues/queues`)
  await page.getByRole('link', { name: 'parcel', exact: true }).waitFor()
  await page.screenshot({ path: join(tmpdir(), 'freshet-queues-list.png') })
  await page.goto(`${app.url}/queues/queues/parcel?state=failed`)
  await page.getByText(id.slice(0, 8)).first().waitFor()
  await page.screenshot({ path: join(tmpdir(), 'freshet-queues-failed.png') })
  await page.goto(`${app.url}/queues/queues/parcel/jobs/${id}`)
  await page.getByText('The file is gone.').first().waitFor()
  await page.screenshot({ path: join(tmpdir(), 'freshet-queues-job.png') })
  await page.getByRole('button', { name: /retry/i }).first().click()
  await expect.poll(async () => (await jobsIn(pool, 'parcel')).length).toBe(3)
  await page.getByText('repeatedAs').first().waitFor()
  await page.screenshot({ path: join(tmpdir(), 'freshet-queues-retried.png') })

  const { rows } = await pool.query("select action from freshet.audit_log where object_type = 'Job'")
  expect(rows).toEqual([{ action: 'RETRY_JOB' }])
  expect(complaints).toEqual([])
  await context.close()
})
