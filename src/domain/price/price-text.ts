const digitZeros = ['\u0660', '\u06F0', '\u0966', '\uFF10'].map((zero) => zero.charCodeAt(0))

const entities: Record<string, string> = {
  nbsp: ' ',
  thinsp: ' ',
  amp: '&',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  dollar: '$',
  ndash: '–',
  mdash: '—',
}

/** One alphabet for what shops write: plain digits, blanks, apostrophes, dashes, points and commas, no HTML entities. */
export function plainPriceText(text: string): string {
  return isPlain.test(text) ? text : madePlain(text)
}

/** Most cells are plain already; then the replacements below need not look. */
const isPlain = /^[!-%(-_a-~]+(?: [!-%(-_a-~]+){0,5}$/

function madePlain(text: string): string {
  return text
    .replaceAll(
      /&(#\d{1,6}|[a-z]{1,8});/gi,
      (all, name: string) => entities[name.toLowerCase()] ?? character(name) ?? all,
    )
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\uFF10-\uFF19]/g, plainDigit)
    .replaceAll(/[\uFF01-\uFF0F\uFF1A-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll('\uFFE1', '£')
    .replaceAll('\uFFE5', '¥')
    .replaceAll('\uFFE0', '¢')
    .replaceAll('\uFFE6', '₩')
    .replaceAll('\u066B', ',')
    .replaceAll(/[\u066C’‘´`′ʹ]/g, "'")
    .replaceAll(/[\u2212\uFE63]/g, '-')
    .replaceAll(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u00AD]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function character(name: string): string | null {
  const code = Number(name.slice(1))
  return name.startsWith('#') && code >= 32 && code < 0xd800 ? String.fromCharCode(code) : null
}

function plainDigit(digit: string): string {
  const code = digit.charCodeAt(0)
  return String(code - (digitZeros.findLast((zero) => zero <= code) ?? code))
}

/** A stretch of one kind: digits, letters, a currency sign, a blank, or a single other character. */
export type Token = { kind: 'digits' | 'word' | 'sign' | 'blank' | 'mark'; text: string }

/** Takes a text apart. Every character belongs to exactly one token, so this takes one pass. */
export const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/(?<digits>\d+)|(?<word>[\p{L}\p{M}]+)|(?<sign>\p{Sc})|(?<blank> )|(?<mark>.)/gsu)].map(
    ({ 0: text, groups }) => ({ kind: kinds.find((kind) => groups?.[kind] !== undefined) ?? 'mark', text }),
  )

const kinds = ['digits', 'word', 'sign', 'blank', 'mark'] as const
