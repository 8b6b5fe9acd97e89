import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// No image is built here: there is no registry. What can be said of one without building it is said here.
const lines = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n')
const stages = lines
  .join('\n')
  .split(/^(?=FROM )/m)
  .filter((text) => text.startsWith('FROM '))
const last = stages.at(-1) ?? ''

test('the image has several stages, and the last one runs as a user without rights', () => {
  expect(stages.length).toBeGreaterThan(1)
  const users = [...last.matchAll(/^USER (\S+)$/gm)].map(([, name]) => name)
  expect(users).toEqual(['node'])
  expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('ENTRYPOINT'))
})

test('the image asks its process for its health, on the port that it listens on', () => {
  expect(last).toMatch(/^HEALTHCHECK .*\bCMD .*process\.env\.PORT.*\/healthz/m)
  expect(last).toMatch(/^ENV .*\bHOST=0\.0\.0\.0 PORT=4000$/m)
})

test('the image holds every folder that the program reads at run time', () => {
  const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  expect(copied.filter((path) => !existsSync(path))).toEqual([])
  const sources = [...globSync('src/**/*.ts'), 'bin/freshet.js'].map((path) => readFileSync(path, 'utf8')).join('\n')
  // Reached from src by a path that leaves it, or from bin.
  const outside = [...sources.matchAll(/['`](?:\.\.\/)+((?:bin|sql|examples|tools|prisma|docs)(?=['`/])[\w./-]*)/g)]
  const needed = [...new Set(outside.map(([, path = '']) => path.replace(/\/$/, '')))]
  expect(needed).toEqual(expect.arrayContaining(['examples', 'sql']))
  expect(needed.filter((path) => !copied.some((from) => path === from || path.startsWith(`${from}/`)))).toEqual([])
})

test('compose starts an api, a worker and a Postgres with pg_cron, and keeps the port to this machine', () => {
  const compose = readFileSync('compose.yaml', 'utf8')
  const services = compose.split(/^services:$/m)[1]?.split(/^volumes:$/m)[0] ?? ''
  expect(Array.from(services.matchAll(/^ {2}(\w+):$/gm), ([, name]) => name)).toEqual(['postgres', 'api', 'worker'])
  expect(Array.from(services.matchAll(/FRESHET_ROLE: (\w+)/g), ([, role]) => role)).toEqual(['api', 'worker'])
  expect(Array.from(compose.matchAll(/- '([^']*:4000)'/g), ([, port]) => port)).toEqual(['127.0.0.1:4000:4000'])
  const postgres = readFileSync('docker/postgres/Dockerfile', 'utf8')
  expect(postgres).toMatch(/^FROM postgres:\d+/m)
  expect(postgres).toMatch(/postgresql-.*-cron/)
  expect(postgres).toMatch(/shared_preload_libraries.*pg_cron/)
})
