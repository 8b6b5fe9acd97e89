import { AsyncLocalStorage } from 'node:async_hooks'
import { registerHooks } from 'node:module'
import type { DashboardHandler } from '@pg-boss/dashboard/handler'
import queueManifest from 'pg-boss/package.json' with { type: 'json' }
import { reason, type Log } from '../../log.ts'

/** pg-boss's own pages about its queues. They know no keys: whoever hands requests on decides who may. */
export type Dashboard = AsyncDisposable & { answer(request: Request): Promise<Response> }

/**
 * The pages below `basePath`. They are loaded with the first request, because few processes ever show them; their connections
 * are their own, and lead to Postgres itself.
 */
export function openDashboard(directUrl: string, basePath: string, log: Log): Dashboard {
  let loading: Promise<DashboardHandler> | undefined
  const reading = readConsole()
  const load = async () => {
    const { createDashboardHandler } = await import('@pg-boss/dashboard/handler')
    const handler = createDashboardHandler({ databases: [{ url: named(directUrl), name: 'freshet' }], basePath })
    using _hooks = acceptOurSchema()
    await handler(new Request('http://localhost/elsewhere'))
    return handler
  }
  return {
    async answer(request) {
      // A failure is not kept: the next request tries again.
      loading ??= load().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      const handler = await loading
      return telling.run(log, () => handler(request))
    },
    async [Symbol.asyncDispose]() {
      reading[Symbol.dispose]()
      await (await loading)?.close()
    },
  }
}

/** The log of the request at work. */
const telling = new AsyncLocalStorage<Log>()

/** What its pages write to the console, stacks and all, becomes one line of the log. Others write there as before. */
function readConsole(): Disposable {
  const page = globalThis.console
  const write = page.error
  const tell = (...what: unknown[]) => {
    const log = telling.getStore()
    if (log) log.warn({ error: reason(what[0]) }, 'a page of the dashboard failed')
    else write(...what)
  }
  page.error = tell
  return {
    [Symbol.dispose]() {
      if (page.error === tell) page.error = write
    },
  }
}

/** So that its connections can be told from the others. */
function named(url: string): string {
  const parsed = URL.parse(url)
  parsed?.searchParams.set('application_name', 'freshet:dashboard')
  return parsed?.href ?? url
}

const bundledVersion = 'pgboss: { "schema": 42 }'

/**
 * The dashboard 1.9.0 brings a pg-boss of its own that knows schema 42 and refuses to look at a job in any other; ours is 43,
 * which only adds columns and an index (no release of the dashboard knows it yet). While its pages are loaded, which its first
 * request does, the number in them is replaced by ours. A test opens a job's page: it fails when this no longer fits.
 */
function acceptOurSchema(): Disposable {
  const ours = `pgboss: { "schema": ${queueManifest.pgboss.schema} }`
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.includes('/@pg-boss/dashboard/build/server/') || !loaded.source) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: source.replace(bundledVersion, ours) }
    },
  })
  return { [Symbol.dispose]: () => hooks.deregister() }
}
