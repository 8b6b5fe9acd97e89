import { randomUUID } from 'node:crypto'
import type { Actor } from '../access/actor.ts'
import { audit } from '../access/audit.ts'
import { badInput, notFound, refuse } from '../errors.ts'
import { checkWith, withoutNulls, type Given } from '../input.ts'
import { enqueue } from '../queue/enqueue.ts'
import { awaitOutcome, checkWait, type Outcome } from './await-outcome.ts'
import { encryptSecret, secretContext } from './credentials/secret.ts'
import { FeedTestSettings, type FeedTestInput } from './feed-input.ts'
import { feedTest, type Test } from './feed-jobs.ts'
import { newFeedState, ruleProblems, typedSecret } from './feed-rules.ts'
import type { FeedParts } from './parts.ts'

/** What is to be tested: a feed as it is stored, or settings that nobody stored. */
export type Tested = { id: bigint | undefined; input: Given<FeedTestInput> | null | undefined }

/**
 * Tries a feed on a worker: connects, reads the first rows, shows what they would become, and changes nothing (S2 §12.5,
 * RULINGS 24). Allowed in every status.
 */
export async function testFeed(
  parts: FeedParts,
  actor: Actor,
  { id, input }: Tested,
  waitSeconds: number,
): Promise<Outcome> {
  checkWait(waitSeconds)
  if ((id === undefined) === !input)
    return id === undefined ? tellWrong('id', 'is required, or input.') : tellWrong('input', 'cannot be given together with id.')
  const { db } = parts
  if (id !== undefined && !(await db.feed.findUnique({ where: { id }, select: { id: true } }))) throw notFound('feed', 'id')
  const payload = input ? await sealInput(parts, input) : { feedId: String(id) }
  const jobId = await db.$transaction(async (tx) => {
    const made = await enqueue(tx, feedTest, payload)
    const changes = { job: { to: made } }
    await audit(tx, actor, { action: 'TEST_FEED', objectType: 'Feed', ...(id === undefined ? {} : { objectId: id }), changes })
    return made
  })
  if (!jobId) throw new Error('The queue feed-test took a test and gave it no job.')
  return awaitOutcome(parts, { queue: feedTest.name, id: jobId }, waitSeconds, 'id')
}

const tellWrong = (field: string, message: string): never => {
  throw badInput([{ field, message }])
}

/** Settings as a job may carry them: whoever lists jobs sees no credential, and it opens for this test alone. */
async function sealInput({ keyRing, allowPlainFtp }: FeedParts, input: Given<FeedTestInput>): Promise<Test> {
  const given = withoutNulls(input)
  const more = ruleProblems(given, newFeedState, allowPlainFtp)
  const read = await checkWith(FeedTestSettings, given, async () => more)
  refuse(more)
  const { password: _password, privateKey: _privateKey, passphrase: _passphrase, ...settings } = read
  const id = randomUUID()
  const secret = typedSecret(read)
  const sealed = secret && encryptSecret(keyRing, secret, secretContext(`test-${id}`, 1))
  const secretCiphertext = sealed ? Buffer.from(sealed.secretCiphertext).toString('base64') : null
  return { input: { id, settings, secretCiphertext, secretKeyId: sealed?.secretKeyId ?? null } }
}
