/** Text as a client sees it in ids and cursors: to be passed back as it is, not to be read. */
export function encodeOpaque(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** The text inside, or nothing if it was not made by `encodeOpaque`: Buffer alone would skip over what it cannot read. */
export function decodeOpaque(opaque: string): string | undefined {
  const text = Buffer.from(opaque, 'base64url').toString('utf8')
  return encodeOpaque(text) === opaque ? text : undefined
}
