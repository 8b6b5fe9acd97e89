import { text } from '../input.ts'

const placeholders = ['url', 'clickId', 'accountId']
const placeholder = /\{([^{}]*)\}/g

/** A link that leads a click through the network. `{url}` stands for the offer's page, encoded; it is never the host. */
export const trackingTemplate = text(2000)
  .refine(isWebLink, 'must be an http or https URL without blanks, whose host is written out.')
  .refine((template) => template.includes('{url}'), 'must hold {url}, which stands for the page of the offer.')
  .refine(hasKnownPlaceholders, `may hold only ${placeholders.map((name) => `{${name}}`).join(', ')} in braces.`)

function isWebLink(template: string): boolean {
  const filled = template.replaceAll(placeholder, 'x')
  const [, host] = /^https?:\/\/([^/?#\s@]+)(?:[/?#]\S*)?$/i.exec(template) ?? []
  return host !== undefined && !host.includes('{') && URL.canParse(filled)
}

function hasKnownPlaceholders(template: string): boolean {
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name)
  return names.every((name) => placeholders.includes(name)) && !/[{}]/.test(template.replaceAll(placeholder, ''))
}
