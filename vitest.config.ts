import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false }, // Node itself loads sources and tests: one `graphql`, as in production
    globalSetup: 'test/support/postgres.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/pg-cron/**'], // needs a server of its own: npm run test:pg-cron
    pool: 'forks',
    isolate: false, // a process works through many files: our modules keep no state, and loading them again takes a third of the time
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: 'test' },
  },
})
