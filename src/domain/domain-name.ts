import { getDomain } from 'tldts'

/** The registrable domain of an address, which says whose site it is: `shop.co.uk` of `https://a.shop.co.uk/x`. */
export function registrableDomain(address: string): string {
  const { hostname } = new URL(address)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/** The same where there may be no address. */
export const domainOf = (address: string | null | undefined): string | null =>
  address ? registrableDomain(address) : null
