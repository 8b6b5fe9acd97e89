import type { Assets } from './assets.ts'
import type { ReadyMadeOperation } from './operations.ts'

/**
 * What the page may do. Inline styles are let in because the editor writes its colours as style elements; scripts,
 * workers and connections come from and go to this server only.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The page: a kilobyte or two that name the assets; the ready-made operations are one of them. */
export function renderPage(options: {
  title: string
  endpoint: string
  assets: Assets
  welcome: ReadyMadeOperation | undefined
}): string {
  const { title, endpoint, assets, welcome } = options
  const settings = {
    endpoint,
    welcome: welcome?.query ?? '',
    operations: assets.urlOf('operations.json'),
    workers: {
      editorWorkerService: assets.urlOf('editor-worker.js'),
      json: assets.urlOf('json-worker.js'),
      graphql: assets.urlOf('graphql-worker.js'),
    },
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${assets.urlOf('favicon.svg')}">
<link rel="stylesheet" href="${assets.urlOf('graphiql.css')}">
<link rel="stylesheet" href="${assets.urlOf('bar.css')}">
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>
<script type="module" src="${assets.urlOf('main.js')}"></script>
<script defer src="${assets.urlOf('graphiql.js')}"></script>
</head>
<body>
<noscript>GraphiQL needs JavaScript. The API itself answers at ${escapeHtml(endpoint)} without it.</noscript>
<header id="bar"><img src="${assets.urlOf('favicon.svg')}" alt="" width="20" height="20"><strong>${escapeHtml(title)}</strong></header>
<main id="root"></main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
