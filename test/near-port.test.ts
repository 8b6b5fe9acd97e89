import { expect, test } from 'vitest'
import { openNear } from '../src/near-port.ts'

/** Opens nothing: says of each port what became of it, and keeps which were tried. */
function ports(takenUpTo: number, code = 'EADDRINUSE') {
  const tried: number[] = []
  const open = async (port: number) => {
    tried.push(port)
    if (port <= takenUpTo) throw Object.assign(new Error('not this one'), { code })
    return port
  }
  return { tried, open }
}

test('opens at the port itself, or at the next free one', async () => {
  const { tried, open } = ports(4001)
  expect(await openNear(4000, open)).toBe(4002)
  expect(tried).toEqual([4000, 4001, 4002])
  expect(await openNear(5000, open)).toBe(5000)
})

test('gives up behind fifty more ports, and at the last port that there is', async () => {
  const many = ports(65_535)
  await expect(openNear(4000, many.open)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect([many.tried.length, many.tried.at(-1)]).toEqual([51, 4050])
  const last = ports(65_535)
  await expect(openNear(65_534, last.open)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(last.tried).toEqual([65_534, 65_535])
})

test('what is no port that is taken is told at once', async () => {
  const { tried, open } = ports(4000, 'EACCES')
  await expect(openNear(4000, open)).rejects.toMatchObject({ code: 'EACCES' })
  expect(tried).toEqual([4000])
})
