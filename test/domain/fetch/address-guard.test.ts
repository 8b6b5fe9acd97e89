import { expect, test } from 'vitest'
import { kindOf, resolveAllowed } from '../../../src/domain/fetch/address-guard.ts'
import { PermanentError } from '../../../src/domain/queue/job-error.ts'

const { signal } = new AbortController()
const refused = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:0:0:1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '::ffff:10.0.0.1', 'fc00::1', 'fd12:3456::1'],
  'link-local': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
  'private, of a carrier': ['100.64.0.1', '100.127.255.255'],
  unspecified: ['0.0.0.0', '::', '0.1.2.3'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: [
    '240.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '2001:db8::1',
    '192.0.0.1',
    '::8.8.8.8',
    '0:0:0:0:0:0:8.8.8.8',
    '::127.0.0.1',
  ],
  'of a cloud': [
    '168.63.129.16',
    '169.254.169.254',
    '169.254.170.2',
    '::ffff:169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '::ffff:0:127.0.0.1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  teredo: ['2001::1', '2001:0:4136:e378::1'],
}
/** What FRESHET_ALLOW_PRIVATE_NETWORK opens; the rest stays closed. */
const openable = ['loopback', 'private', 'link-local', 'private, of a carrier']
const cases = Object.entries(refused).flatMap(([kind, addresses]) =>
  addresses.map((address) => [address, kind] as const),
)

test.each(cases)('FAULTS S1: %s is %s, and is not connected to unless that is allowed', async (address, kind) => {
  expect(kindOf(address)).toBe(kind)
  const error = await resolveAllowed(address, { allowPrivate: false, signal }).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(PermanentError)
  expect(error).toMatchObject({
    code: 'ADDRESS_NOT_ALLOWED',
    message: expect.stringContaining(`${address} (${kind})`) as string,
  })
  const opened = await resolveAllowed(address, { allowPrivate: true, signal }).catch(() => [])
  expect(opened).toHaveLength(openable.includes(kind) ? 1 : 0)
})

test.each([
  ['8.8.8.8', 4],
  ['::ffff:8.8.8.8', 6],
  ['2606:4700::1111', 6],
  ['[2606:4700::1111]', 6],
  ['172.32.0.1', 4],
  ['100.128.0.1', 4],
])('FAULTS S1: %s is public', async (host, family) => {
  const address = host.replace(/[[\]]/g, '')
  expect(await resolveAllowed(host, { allowPrivate: false, signal })).toEqual([{ address, family }])
})

test.each(['localhost', '0x7f.1', '2130706433', '017700000001', '127.1'])(
  'FAULTS S1: %s is looked up, and what it stands for is judged',
  async (host) => {
    const error = await resolveAllowed(host, { allowPrivate: false, signal }).catch((error: unknown) => error)
    // Some systems do not take the odd spellings: then there is no address at all.
    expect(['ADDRESS_NOT_ALLOWED', 'ENOTFOUND', 'EAI_AGAIN']).toContain((error as { code: string }).code)
  },
)

const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800::1'],
  'mixed.example': ['10.0.0.1', '93.184.216.34', '::1', '64:ff9b::5db8:d822'],
  'inside.example': ['10.0.0.1', '::1'],
}
const lookup = async (host: string) =>
  names[host]!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

test('issue 5 §1: of the addresses of a name, only the public ones are answered', async () => {
  const guard = { allowPrivate: false, signal, lookup }
  expect(await resolveAllowed('public.example', guard)).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800::1', family: 6 },
  ])
  expect(await resolveAllowed('mixed.example', guard)).toEqual([{ address: '93.184.216.34', family: 4 }])
  expect(await resolveAllowed('mixed.example', { ...guard, allowPrivate: true })).toHaveLength(3)
  await expect(resolveAllowed('inside.example', guard)).rejects.toThrow(
    'inside.example (10.0.0.1, private; ::1, loopback) is not a public address, and was not connected to.',
  )
})

test('issue 5 §1: an address is looked up once, however often the answer would change', async () => {
  let asked = 0
  const alternating = async () => [{ address: asked++ === 0 ? '93.184.216.34' : '127.0.0.1', family: 4 }]
  expect(await resolveAllowed('public.example', { allowPrivate: false, signal, lookup: alternating })).toEqual([
    { address: '93.184.216.34', family: 4 },
  ])
  expect(asked).toBe(1)
})

test('a look-up that hangs is given up with the signal', async () => {
  const never = () => Promise.withResolvers<never>().promise
  const taken = new AbortController()
  const asked = resolveAllowed('public.example', { allowPrivate: false, signal: taken.signal, lookup: never })
  taken.abort(new Error('taken away'))
  await expect(asked).rejects.toThrow('taken away')
})
