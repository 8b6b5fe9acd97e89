/** Cells that stand for nothing. */
export const blankWords = new Set([
  '',
  '-',
  '--',
  '—',
  '–',
  '.',
  '/',
  'n/a',
  '#n/a',
  'na',
  'nan',
  'null',
  'none',
  'nil',
  'undefined',
])

/** Cells that give the thing away. */
export const freeWords = new Set(
  'free|free of charge|gratis|gratuit|gratuito|kostenlos|umsonst|for free|бесплатно|zdarma|za darmo|ilmainen|0'.split(
    '|',
  ),
)

/** What a shop says when it wants to be asked. `poa` and its like stand alone as a word. */
export const onRequest = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}])(?:p\.? ?o\.? ?a\.?|p\.? ?o\.? ?r\.?|t\.?b\.?[acd]\.?|poi)(?![\p{L}\p{N}])`,
    String.raw`(?<!\p{L})(?:${[
      String.raw`(?:call|ask|quote|vary|varies)(?!\p{L})|phone us|contact|request|enquir|inquir|(?:up)?on application`,
      'e-?mail (?:us|for)|see (?:price )?in (?:cart|store|shop)|add to cart (?:for|to see)|(?:log|sign) ?in (?:for|to)|price on',
      '(?:auf )?anfrage|auf nachfrage|preis folgt|sur demande|nous consulter|(?:su|a) richiesta|consultar|sob consulta',
      'bajo pedido|op aanvraag|pris på forespørsel|på förfrågan|efter aftale|hinta pyydettäessä|na zapytanie|na dotaz|na vyžádání',
      'по запросу|уточняйте|договорная|цену в прайсе',
    ].join('|')})`,
    '要問|お問い合わせ|面议',
  ].join('|'),
  'iu',
)

/** Words between two amounts that make them the ends of a range. */
export const rangeWords = new Set([
  '-',
  '–',
  '—',
  '‒',
  '―',
  '~',
  '～',
  '..',
  '...',
  '…',
  '->',
  '→',
  '--',
  'to',
  'till',
  'until',
  'through',
  'bis',
  'à',
  'au',
  'a',
  'al',
  'até',
  'hasta',
  'fino',
  'tot',
  'til',
  'till',
  'do',
  'до',
  'と',
  'から',
  '至',
])

/** Words before an amount that say it is something else than the price. */
export const otherThings = new Set(
  'save saves saved saving savings shipping delivery orders spend minimum versand versandkosten sku ref id ean gtin upc mpn isbn model code tel'.split(
    ' ',
  ),
)

/** Words before an amount that say: this one is asked for now, whatever stood before it. */
export const nowWords = new Set(['now', 'jetzt', 'nun', 'maintenant', 'ahora', 'teraz', 'nyní'])

/** Small words behind a number that make it a measure or a number of things. */
export const units = new Set(
  `g kg mg lb lbs oz ml cl dl cm mm km inch inches ft feet yd gal qt x pk pack packs pc pcs piece pieces ct count rounds rds stk stück
  st pcs. box boxes pair pairs gb tb mb mah hz khz mhz ghz watt volt hours days months years von of out stars sterne items products`.split(
    /\s+/,
  ),
)

/** Words that may stand before a number without a currency; behind any other it may be a size or a year. */
export const priceWords = new Set(
  `price prices cost our your the sale retail regular list unit estimate estimated now only just from was were msrp rrp total start
  starting at as low special current offer deal net gross each per ea for preis preise unser ab nur jetzt statt uvp vk brutto netto prix dès
  à partir de seulement ttc ht precio desde solo ahora pvp p v prezzo da solo prijs vanaf nu voor cena cenu běžná naše od tylko pris fra
  från nu kun ára ár fiyat цена от всего hinta alkaen preço por a por apenas harga 価格 税込 定価 价格 price:`.split(
    /\s+/,
  ),
)
