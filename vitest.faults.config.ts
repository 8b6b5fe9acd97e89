import { defineConfig } from 'vitest/config'

// npm run test:faults: what FAULTS asks for, at full count. One case at a time, or the figures would disturb each other.
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    globalSetup: 'test/support/postgres.ts',
    include: ['test/faults/**/*.fault.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: 'test' },
  },
})
