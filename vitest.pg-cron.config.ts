import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** Needs Debian's postgresql-15-cron, and waits for two full minutes: pg_cron knows no finer step. */
export default defineConfig({
  test: {
    ...base.test,
    globalSetup: 'test/pg-cron/cluster.ts',
    include: ['test/pg-cron/*.test.ts'],
    exclude: [],
    testTimeout: 150_000,
  },
})
