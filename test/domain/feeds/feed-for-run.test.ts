import { expect, test } from 'vitest'
import { portOf } from '../../../src/domain/feeds/feed-for-run.ts'

test.each([
  ['SFTP', null, 22],
  ['FTP', null, 21],
  ['FTPS', 'EXPLICIT', 21],
  ['FTPS', 'IMPLICIT', 990],
] as const)('S2 §9.1: where none is named, %s with TLS mode %s goes to port %i', (transport, tlsMode, port) => {
  expect(portOf({ transport, tlsMode, port: null })).toBe(port)
  expect(portOf({ transport, tlsMode, port: 2222 })).toBe(2222)
})
