import { isIP } from 'node:net'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

type Listening = { host: string; allowedHosts: string[] }

/**
 * Which Host headers are answered. A page of another site can give its own name the address 127.0.0.1 and then read, from
 * within a browser on this machine, what is open to all there (DNS rebinding): it is told apart by the name it asks for.
 * A server that others reach has names that it cannot know, so there all are good unless they are listed.
 */
export function createHostCheck({ host, allowedHosts }: Listening): (header: string | undefined) => boolean {
  const isLocal = /^(localhost|127\.[\d.]+|::1)$/i.test(host)
  if (!isLocal && allowedHosts.length === 0) return () => true
  const good = new Set([...loopbackNames, ...[host, ...allowedHosts].map(asInUrl)])
  return (header = '') => header === '' || good.has(URL.parse(`http://${header}`)?.hostname ?? '')
}

/** A name or address the way URLs write it. */
const asInUrl = (host: string): string => (isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host.toLowerCase())
