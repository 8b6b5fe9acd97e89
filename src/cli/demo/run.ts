import { relative } from 'node:path'
import type { Context } from '../context.ts'
import { toJson } from '../print.ts'
import { readConfig } from '../../config.ts'
import { runServer } from '../../main.ts'
import { createApi } from './api.ts'
import { openDemoFolder, type DemoFolder } from './folder.ts'
import { feedPaths, startFeedServer, type FeedServer } from './feed-server.ts'
import { repeatRuns } from './live-run.ts'
import { beOnlyDemo } from './only-demo.ts'
import { steps, type Demo } from './steps.ts'

const query = '{ offers(first: 2) { totalCount nodes { title price currency retailer { name } } } }'

/** Starts the whole server in a folder of its own, fills it through its API, and says what to try. */
export async function runDemo(context: Context, { once }: { once: boolean }): Promise<void> {
  const { env, given, out, json } = context
  const done = new AbortController()
  const signal = AbortSignal.any([context.signal, done.signal])
  const own = {
    ...env,
    // Sample data never goes into a database that somebody named for real work.
    DATABASE_URL: undefined,
    DATABASE_DIRECT_URL: undefined,
    FRESHET_DATA_DIR: given.FRESHET_DATA_DIR || '.freshet-demo',
    FRESHET_ADMIN_KEY: undefined,
    FRESHET_ROLE: 'all',
    FRESHET_MIGRATE: 'true',
    // Its feeds come from a server on this machine.
    FRESHET_ALLOW_PRIVATE_NETWORK: 'true',
    // What it has to say would scroll away: its feeds are made to be warned of, over and over. The job that fails on purpose is no
    // news where nobody follows the log.
    LOG_LEVEL: env.LOG_LEVEL || (once ? 'fatal' : 'error'),
  }
  const { config } = readConfig(own)
  const folder = await openDemoFolder(config.dataDir)
  // Its log tells errors only; who starts it for the first time should see why that takes a while.
  const tell = (step: string) => void (json || out.write(`  ${step} …\n`))
  await using parts = new AsyncDisposableStack()
  await runServer(
    { ...own, FRESHET_ADMIN_KEY: folder.adminKey },
    {
      out,
      orNextPort: true,
      signal,
      readable: json ? false : undefined,
      tell,
      announce: async ({ app: { url }, database }) => {
        const { directUrl } = database
        parts.use(await beOnlyDemo(directUrl, folder.dir))
        const server = parts.use(await startFeedServer(folder.dir))
        const answer = await seed({ url, folder, server, directUrl, tell })
        if (once) done.abort('the demo was to run once')
        // It ends by itself with the demo; should it fail before, the demo goes on without it.
        else void repeatRuns(createApi(url, folder.adminKey), signal).catch(() => {})
        return json ? `${toJson({ demo: answer })}\n` : describe(answer, folder, once)
      },
    },
  )
}

type Answer = {
  url: string
  adminKey: string
  readKey: string
  steps: string[]
  query: string
  answer: unknown
  /** What shows the blocked run's offers after all. */
  approve: string | undefined
  /** The feed that is there to be watched. */
  slowFeed: string
  /** What to connect a feed of one's own to. */
  sftp: Pick<FeedServer['place'], 'host' | 'port' | 'username'> & FeedServer['kept'] & { path: string }
}

async function seed(place: Omit<Demo, 'ask' | 'readKey'>): Promise<Answer> {
  const { url, folder, server } = place
  const demo: Demo = { ...place, ask: createApi(url, folder.adminKey), readKey: '' }
  const told: string[] = []
  for (const step of steps) told.push(await step(demo))
  const answer = await createApi(url, demo.readKey)(query)
  const { readKey, blocked } = demo
  const approve =
    blocked &&
    `mutation { approveActivation(runId: "${blocked.id}", expectedWouldExpire: ${blocked.wouldExpireCount}) { isDone } }`
  const { host, port, username } = server.place
  const sftp = { host, port, username, path: feedPaths.quick, ...server.kept }
  const { adminKey } = folder
  const slowFeed = demo.slow?.id ?? ''
  return { url: `${url}/graphql`, adminKey, readKey, steps: told, query, answer, approve, slowFeed, sftp }
}

function describe(
  { url, adminKey, readKey, steps: told, answer, approve, slowFeed, sftp }: Answer,
  folder: DemoFolder,
  once: boolean,
): string {
  const lines = [
    "Freshet's demo is ready.",
    '',
    `GraphiQL   ${url}`,
    `Admin key  ${adminKey}`,
    `           kept in ${nearPath(folder.adminKeyFile)}; paste it into GraphiQL`,
    `SFTP       ${sftp.host}:${sftp.port}, user ${sftp.username}, password in ${nearPath(sftp.passwordFile)}`,
    `           its ${sftp.path} is ${nearPath(sftp.catalogFile)}: change that file, and run its feed`,
    ...told.map((line, index) => (index === 0 ? 'Inside' : '').padEnd(11) + line),
    '',
    'Try',
    `  curl -s ${url} -H 'content-type: application/json' \\`,
    `    -H 'authorization: Bearer ${readKey}' \\`,
    `    --data '${JSON.stringify({ query })}'`,
    'which answers',
    `  ${JSON.stringify({ data: answer })}`,
    ...(approve
      ? [
          '',
          'Decide',
          '  A run is blocked: consumers go on seeing what the file has lost. In GraphiQL "Feeds: list blocked',
          '  runs with their impact" shows what would vanish. This lets it through; each offer that the file has lost',
          '  is then seen until its time is over ("activeUntil", 48 h after it was last shown):',
          `  ${approve}`,
        ]
      : []),
    ...(once
      ? []
      : [
          '',
          'A feed runs over and over from a slow server: list the runs in GraphiQL, then watch one live; or here:',
          `  FRESHET_DATA_DIR=${nearPath(folder.dir)} npm run freshet -- feeds run ${slowFeed} --force --watch`,
          '',
          'Ctrl-C stops it.',
        ]),
  ]
  return `\n${lines.map((line) => (line ? `  ${line}\n` : '\n')).join('')}\n`
}

/** A path as people write it: from here on, if it lies below. */
function nearPath(path: string): string {
  const near = relative('', path)
  return near.startsWith('..') ? path : near
}
