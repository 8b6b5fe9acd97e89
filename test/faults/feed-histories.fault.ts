import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { pipelineHand } from '../support/feed-model/pipeline-hand.ts'
import { playHistory, type Tally } from '../support/feed-model/play.ts'
import { sqlHand } from '../support/feed-model/sql-hand.ts'
import { histories } from '../support/feed-model/steps.ts'
import { openFeedRuns } from '../support/feed-runs.ts'
import { startSftpServer } from '../support/sftp-server.ts'
import { report } from './seed.ts'

const total = Number(process.env.FRESHET_TEST_HISTORIES ?? 1_000)
/** So many a database, so that what earlier histories left does not slow the later ones. */
const batch = 50
const firstSeed = Number(process.env.FRESHET_TEST_SEED ?? 89_000)

test('R8–R9: random feed histories show what the model shows, a blocked run changes nothing, a rebuild equals', async () => {
  await using server = await startSftpServer()
  const tally: Tally = {}
  let done = 0
  for (let seed = firstSeed; done < total; seed++) {
    console.log(`R8–R9: ${Math.min(batch, total - done)} histories after ${done}, seed ${seed}`)
    await using database = await cloneDatabase()
    await using feeds = await openFeedRuns(database)
    const [quick, whole] = [sqlHand(feeds), pipelineHand(database, feeds, server)]
    // One in ten goes all the way from a file on a server.
    const property = fc.asyncProperty(histories, fc.nat(9), (history, digit) =>
      playHistory(database.pool, digit === 9 ? whole : quick, history, tally),
    )
    const numRuns = Math.min(batch, total - done)
    await fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true })
    done += numRuns
  }
  report('R8–R9', { histories: done, disagreements: 0, ...tally })
  expect(done).toBe(total)
}, 3_600_000)
