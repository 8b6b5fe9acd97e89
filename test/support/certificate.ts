import { createSign, generateKeyPairSync } from 'node:crypto'

// X.509 in DER (RFC 5280), as far as a test needs it: Node reads certificates and makes none.
const tagged = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), body])
}
const sequence = (...parts: Uint8Array[]) => tagged(0x30, ...parts)
const integer = (value: number) => tagged(0x02, Buffer.of(value))
const oid = (...bytes: number[]) => tagged(0x06, Buffer.of(...bytes))
const bits = (bytes: Uint8Array) => tagged(0x03, Buffer.of(0), bytes)
const utcTime = (date: Date) => tagged(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
const commonName = (name: string) => sequence(tagged(0x31, sequence(oid(0x55, 4, 3), tagged(0x0c, Buffer.from(name)))))
const ecdsaSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))

const altName = (host: string) => {
  const address = host.split('.').map(Number)
  const isAddress = address.length === 4 && address.every(Number.isInteger)
  return isAddress ? tagged(0x87, Buffer.from(address)) : tagged(0x82, Buffer.from(host))
}
const subjectAltName = (hosts: string[]) =>
  tagged(0xa3, sequence(sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, sequence(...hosts.map(altName))))))

type Wish = { hosts: string[]; from?: Date; until?: Date }

/** A certificate signed by itself, and its key, both as PEM. */
export function makeCertificate({ hosts, from = new Date('2020-01-01'), until = new Date('2049-01-01') }: Wish) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = commonName(hosts[0] ?? 'test')
  const content = sequence(
    tagged(0xa0, integer(2)), // version 3
    integer(1),
    ecdsaSha256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    subjectAltName(hosts),
  )
  const whole = sequence(content, ecdsaSha256, bits(createSign('sha256').update(content).sign(privateKey)))
  const cert = `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
