import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    globalSetup: 'test/support/postgres.ts',
    include: ['test/browser/**/*.browser.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: 'test' },
  },
})
