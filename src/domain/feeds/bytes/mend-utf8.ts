/** What Windows-1252 has at 0x80 to 0xFF, each as the bytes of its UTF-8. */
const windows1252 = Array.from({ length: 128 }, (_, index) =>
  Buffer.from(new TextDecoder('windows-1252').decode(Buffer.of(0x80 + index))),
)

/** Text of bytes of which some are no UTF-8: those are read as Windows-1252, one by one, and counted. */
export function mendUtf8(bytes: Buffer): { text: string; invalid: number; first: number } {
  const out = Buffer.allocUnsafe(bytes.length * 3) // no letter of Windows-1252 takes more in UTF-8
  let written = 0
  let invalid = 0
  let first = -1
  for (let at = 0; at < bytes.length;) {
    const length = letterLength(bytes, at)
    if (length > 0) {
      for (const end = at + length; at < end; at++) out[written++] = bytes[at] ?? 0
      continue
    }
    if (invalid++ === 0) first = at
    written += (windows1252[(bytes[at++] ?? 0) - 0x80] as Buffer).copy(out, written)
  }
  return { text: out.toString('utf8', 0, written), invalid, first }
}

/** How many bytes the letter at this place has in UTF-8, as Unicode's table 3-7 has it; 0 if there is none. */
function letterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  for (let next = 2; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}
