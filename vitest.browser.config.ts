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
    expect: { poll: { timeout: 10_000 } }, // a browser on a busy machine takes its time
    env: { NODE_ENV: 'test' },
  },
})
