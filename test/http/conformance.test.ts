import { serverAudits } from 'graphql-http'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const audits = serverAudits({ url: app.endpoint, fetchFn: fetch })

test('the audit of GraphQL over HTTP has 61 cases', () => {
  expect(audits.length).toBe(61)
})

for (const { name, fn } of audits) {
  test(`GraphQL over HTTP: ${name}`, async () => {
    const result = await fn()
    expect(result.status === 'ok' ? 'ok' : result.reason).toBe('ok')
  })
}
