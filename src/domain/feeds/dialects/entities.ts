/** The names of U+00A0 to U+00FF in HTML, in their order. */
const latin =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
  para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute
  Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute
  THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde
  ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(/\s+/)

const named = new Map<string, string>([
  ...latin.map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", OElig: 'Œ', oelig: 'œ', Scaron: 'Š' }),
  ...Object.entries({ scaron: 'š', Yuml: 'Ÿ', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚' }),
  ...Object.entries({ ldquo: '“', rdquo: '”', bdquo: '„', dagger: '†', bull: '•', hellip: '…', prime: '′' }),
  ...Object.entries({ Prime: '″', euro: '€', trade: '™', larr: '←', rarr: '→', minus: '−', le: '≤', ge: '≥' }),
  ...Object.entries({ ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', zwnj: '\u200C', zwj: '\u200D' }),
])

const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,7}));/g

/** A text without HTML's entities. Once: what was escaped twice was meant to show one. An unknown one stays as it is. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entity, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole
    return letter(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)) ?? whole
  })
}

/** What pages mean by 128 to 159 are letters of Windows-1252, whatever Unicode has there. */
function letter(code: number): string | undefined {
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder('windows-1252').decode(Buffer.of(code))
  const isControl = code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d
  const isHalf = code >= 0xd800 && code <= 0xdfff
  return isControl || isHalf || code > 0x10ffff ? undefined : String.fromCodePoint(code)
}

/** An address without the entities of its ampersands. Others stay: `&copy;` after a question mark is a parameter. */
export const decodeUrl = (url: string): string => (url.includes('&') ? url.replace(/&(?:amp|#38|#x26);/gi, '&') : url)
