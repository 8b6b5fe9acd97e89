import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'sql/README.md', ...globSync('docs/**/*.md')]
const links = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => ({ page, target })),
)

const twice = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index)

test('decisions are numbered from 0001 on, each number once', () => {
  const numbers = readdirSync('docs/decisions').map((name) => name.slice(0, 4))
  expect(numbers.toSorted()).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
})

test('every relative link of the documentation leads to a file', () => {
  const relative = links.filter(({ target }) => !/^[a-z]+:/.test(target))
  expect(relative.length).toBeGreaterThan(15)
  const dead = relative.filter(({ page, target }) => !existsSync(join(dirname(page), target)))
  expect(dead.map(({ page, target }) => `${page}: ${target}`)).toEqual([])
})

test('no two areas of GraphiQL’s operations have the same number, nor two operations of one area', () => {
  const areas = readdirSync('src/http/graphiql/operations')
  expect(twice(areas.map((area) => area.slice(0, 2)))).toEqual([])
  const operations = globSync('src/http/graphiql/operations/*/*.graphql')
  expect(operations.length).toBeGreaterThan(20)
  expect(operations.filter((path) => !/\/\d\d-[a-z-]+\/\d\d-[a-z-]+\.graphql$/.test(path))).toEqual([])
  expect(twice(operations.map((path) => path.replace(/(\/\d\d)-[^/]*$/, '$1')))).toEqual([])
})

test('STYLE 6: the first screen of the README has at most 40 lines', () => {
  const [first = ''] = readFileSync('README.md', 'utf8').split('\n## The command')
  expect(first.split('\n').length).toBeLessThanOrEqual(40)
})
