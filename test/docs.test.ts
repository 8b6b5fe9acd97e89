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

test('no two operations of GraphiQL have the same number', () => {
  const operations = readdirSync('src/http/graphiql/operations').filter((name) => name.endsWith('.graphql'))
  expect(operations.length).toBeGreaterThan(20)
  expect(twice(operations.map((name) => name.slice(0, 2)))).toEqual([])
})

test('STYLE 6: the first screen of the README has at most 40 lines', () => {
  const [first = ''] = readFileSync('README.md', 'utf8').split('\n## The command')
  expect(first.split('\n').length).toBeLessThanOrEqual(40)
})
