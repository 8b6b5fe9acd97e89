import { median, ratio } from '../load.ts'
import type { Edition, FeedFiles } from './feed-file.ts'
import { copyAndMergeAlone, parseAlone } from './floors.ts'
import { openSeed } from './seed.ts'
import { hour, openStand, type Feed, type Measured } from './stand.ts'

/** Runs in a row of one feed: what the file has become, and how many hours after the first. Prices are repeated after 24. */
const phases = {
  unchanged: [
    ['same', 1],
    ['first', 2],
    ['same', 3],
  ],
  changed: [
    ['changed', 4],
    ['first', 5],
    ['changed', 6],
  ],
  heartbeat: [
    ['changed', 31],
    ['changed', 56],
    ['changed', 81],
  ],
} as const satisfies Record<string, [Edition, number][]>

type Phase = 'first' | keyof typeof phases

/** Each phase of ours beside the floors and the peer; rows a second of taking in, the promotion told apart. */
export async function comparePhases(url: string, files: FeedFiles, rows: number) {
  await using stand = await openStand(url)
  await using seed = await openSeed(stand.pool)
  const rate = (ms: number) => Math.round((rows * 1_000) / ms)
  const tell = (what: string, ms: number, more = '') => console.log(`${what}: ${rate(ms)} rows/s${more}`)
  const takeIn = async (feed: Feed, edition: Edition, hours: number) =>
    stand.run(feed, await files.open(rows, edition), hour(hours))
  const peer = async (phase: Phase, edition: Edition, hours: number) => {
    await using handle = await files.open(rows, edition)
    const ms = await seed.ingest(handle, hour(hours))
    tell(`${phase}, S2's design`, ms)
    return ms
  }
  const summary = (phase: Phase, runs: Measured[]) => {
    const [ingestMs, promoteMs, walMb] = (['ingestMs', 'promoteMs', 'walMb'] as const).map((part) =>
      median(runs.map((run) => run[part])),
    ) as [number, number, number]
    tell(phase, ingestMs, `, then shown in ${Math.round(promoteMs)} ms; ${Math.round(walMb)} MB of WAL in all`)
    return { ingestMs, promoteMs, walMb }
  }

  const warm = await files.open(Math.ceil(rows / 10), 'first')
  await stand.run(await stand.makeFeed(), warm, hour(0))
  const floors: { parseMs: number; copyMs: number; mergeMs: number }[] = []
  const firsts: Measured[] = []
  let feed = await stand.makeFeed()
  for (let round = 0; round < 3; round++) {
    floors.push({ parseMs: await parseAlone(files, rows), ...(await copyAndMergeAlone(stand, files, rows)) })
    feed = await stand.makeFeed()
    firsts.push(await takeIn(feed, 'first', 0))
  }
  const [parseMs, copyMs, mergeMs] = (['parseMs', 'copyMs', 'mergeMs'] as const).map((part) =>
    median(floors.map((floor) => floor[part])),
  ) as [number, number, number]
  tell('unpacking and splitting alone', parseMs)
  tell('COPY alone', copyMs)
  tell('bare merge', mergeMs)
  const first = summary('first', firsts)
  const versus = { first: ratio(await peer('first', 'first', 0), first.ingestMs) }
  const walMb: Record<string, number> = {}
  const rates: Record<string, number> = { first: rate(first.ingestMs) }
  for (const [phase, runs] of Object.entries(phases) as [keyof typeof phases, [Edition, number][]][]) {
    const measured: Measured[] = []
    for (const [edition, hours] of runs) measured.push(await takeIn(feed, edition, hours))
    const ours = summary(phase, measured)
    const [edition, hours] = runs[0] as [Edition, number]
    Object.assign(versus, { [phase]: ratio(await peer(phase, edition, hours), ours.ingestMs) })
    walMb[phase] = ours.walMb
    rates[phase] = rate(ours.ingestMs)
  }
  const { unchanged, changed, heartbeat } = versus as Record<Phase, number>
  return {
    firstVsSeed: versus.first,
    unchangedVsSeed: unchanged,
    changedVsSeed: changed,
    heartbeatVsSeed: heartbeat,
    firstVsFloor: ratio(Math.max(parseMs, mergeMs), first.ingestMs),
    walMbUnchanged200k: Math.round(((walMb.unchanged ?? Number.NaN) * 200_000) / rows),
    rowsPerSecond: rates,
    promotedPerSecond: rate(first.promoteMs),
  }
}
