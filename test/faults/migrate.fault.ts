import { test } from 'vitest'
import { killAtPoints } from '../db/fixtures/migrate-processes.ts'
import { report } from './seed.ts'

test('R21: killed at any of 20 points, the next run makes what a fresh database has', async () => {
  await killAtPoints(20)
  report('R21', { points: 20, unequal: 0 })
})
