import { lookup as lookUpName } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { PermanentError } from '../queue/job-error.ts'
import { orAborted } from './or-aborted.ts'

/** An address that was checked, and is to be connected to as it stands: nobody looks the name up a second time. */
export type CheckedAddress = { address: string; family: 4 | 6 }

type Guard = {
  allowPrivate: boolean
  signal: AbortSignal
  lookup?: (host: string, options: { all: true }) => Promise<{ address: string; family: number }[]>
}

/**
 * The addresses of a host that may be connected to. Where a name stands for allowed and for private ones, only the allowed
 * are answered; where all are private, this throws. The one way out for everything that connects to where a user points.
 */
export async function resolveAllowed(
  host: string,
  { allowPrivate, signal, lookup = lookUpName }: Guard,
): Promise<CheckedAddress[]> {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(name)
    ? [{ address: name, family: isIP(name) }]
    : await orAborted(signal, lookup(name, { all: true }))
  const addresses = found.map(({ address, family }) => ({
    address,
    family: family === 6 ? (6 as const) : (4 as const),
  }))
  const mayReach = (kind: string) => kind === 'public' || (allowPrivate && privateKinds.includes(kind))
  const allowed = addresses.filter(({ address }) => mayReach(kindOf(address)))
  if (allowed.length > 0) return allowed
  const kinds = addresses.map(({ address }) => (address === host ? kindOf(address) : `${address}, ${kindOf(address)}`))
  throw new PermanentError(`${host} (${kinds.join('; ')}) is not a public address, and was not connected to.`, {
    code: 'ADDRESS_NOT_ALLOWED',
  })
}

/** What `allowPrivate` opens. No server with a file stands behind any other kind. */
const privateKinds = ['loopback', 'private', 'private, of a carrier', 'link-local']

/** Where clouds answer what only the machine itself may ask, its passwords among it: never open. */
const cloudHosts = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254']
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** `public`, or what else an address is. IPv6 that carries an IPv4 address inside (NAT64, 6to4, Teredo) is never public. */
export function kindOf(address: string): string {
  const plain = canonical(address)
  if (!ipaddr.isValid(plain)) return 'not an address'
  const parsed = ipaddr.process(plain) // an IPv4-mapped one becomes what it stands for
  if (cloudHosts.includes(parsed.toString())) return 'of a cloud'
  const range = parsed.range()
  if (range !== 'unicast') return kinds[range] ?? range
  if (parsed.kind() === 'ipv6' && !(parsed as ipaddr.IPv6).match(globalUnicast)) return 'reserved'
  return 'public'
}

/** IPv6 in hexadecimal without a zone: ipaddr.js takes `::8.8.8.8` for the IPv4 address in it, and the system does not. */
function canonical(address: string): string {
  const [host = ''] = address.split('%')
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host
}

const kinds: Record<string, string> = {
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  carrierGradeNat: 'private, of a carrier',
  rfc6052: 'NAT64',
  rfc6145: 'NAT64',
}
