import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { badInput, notFound, refuse } from '../errors.ts'
import { checkWith, withoutNulls, type Given } from '../input.ts'
import { enqueue } from '../queue/enqueue.ts'
import type { JobPlace } from '../queue/operate.ts'
import { awaitOutcome, checkWait, type Outcome } from './await-outcome.ts'
import { FeedTestSettings, type FeedTestInput } from './settings/feed-input.ts'
import { testJob } from './feed-jobs.ts'
import { newFeedState, ruleProblems } from './settings/feed-rules.ts'
import type { FeedParts } from './parts.ts'
import { sealFeed, type UnsavedFeed } from './unsaved-feed.ts'

/** What is to be tested: a feed as it is stored, or settings that nobody stored. */
export type Tested = { id: bigint | undefined; input: Given<FeedTestInput> | null | undefined }

/**
 * Tries a feed on a worker: connects, reads the first rows, shows what they would become, and changes nothing (S2 §12.5,
 * RULINGS 24). Allowed in every status.
 */
export async function requestFeedTest(
  parts: FeedParts,
  actor: Actor,
  { id, input }: Tested,
  waitSeconds: number,
): Promise<Outcome> {
  checkWait(waitSeconds)
  if ((id === undefined) === !input)
    return id === undefined
      ? tellWrong('id', 'is required, or input.')
      : tellWrong('input', 'cannot be given together with id.')
  const job =
    id === undefined
      ? await enqueueTest(parts, actor, await sealInput(parts, input!))
      : await askForTest(parts, actor, id)
  return awaitOutcome(parts, job, waitSeconds, 'id')
}

/** Tries a stored feed; answers the job that does, and waits for nothing. */
export async function askForTest(parts: Pick<FeedParts, 'db'>, actor: Actor, id: bigint): Promise<JobPlace> {
  if (!(await parts.db.feed.findUnique({ where: { id }, select: { id: true } }))) throw notFound('feed', 'id')
  return enqueueTest(parts, actor, id)
}

async function enqueueTest({ db }: Pick<FeedParts, 'db'>, actor: Actor, of: bigint | UnsavedFeed): Promise<JobPlace> {
  const isStored = typeof of === 'bigint'
  const id = await db.$transaction(async (tx) => {
    const made = await enqueue(tx, testJob, isStored ? { feedId: String(of) } : { input: of })
    const changes = { job: { to: made } }
    await audit(tx, actor, {
      action: 'TEST_FEED',
      objectType: 'Feed',
      ...(isStored ? { objectId: of } : {}),
      changes,
    })
    return made
  })
  if (!id) throw new Error('The queue feed-test took a test and gave it no job.')
  return { queue: testJob.name, id }
}

const tellWrong = (field: string, message: string): never => {
  throw badInput([{ field, message }])
}

/** Checks settings as those of a new feed are, and makes them ready for their way to a worker. */
async function sealInput({ keyRing, allowPlainFtp }: FeedParts, input: Given<FeedTestInput>): Promise<UnsavedFeed> {
  const given = withoutNulls(input)
  const more = ruleProblems(given, newFeedState, allowPlainFtp)
  const settings = await checkWith(FeedTestSettings, given, async () => more)
  refuse(more)
  return sealFeed(keyRing, settings)
}
