/** What may be wrong with a single row of a feed, or with what a page says. Part of the failure codes (`failure-codes.ts`). */
export const rowCodes = {
  TITLE_MISSING: {
    meaning: 'The row has no title.',
    hint: 'If the title stands in another column, name it in the feed’s column map.',
  },
  LINK_MISSING: {
    meaning: 'The row has no link.',
    hint: 'If the link stands in another column, name it in the feed’s column map.',
  },
  PRICE_MISSING: {
    meaning: 'The price is blank, or a word for nothing (`N/A`, `null`).',
    hint: 'If the price stands in another column, name it in the feed’s column map.',
  },
  PRICE_INVALID: {
    meaning: 'The price holds no amount that can be read without guessing.',
    hint: 'Look at the raw row: a shifted column or broken quoting shows as text in the price.',
  },
  PRICE_RANGE: {
    meaning: 'The price is a range (`10.00 - 20.00`), and no amount of it is the price.',
    hint: 'Ask the network or shop for one row a variant, each with its own price.',
  },
  PRICE_ZERO: {
    meaning: 'The price is zero or “free”, which in a feed means withheld.',
    hint: 'Ask the shop for the price, or leave the row out of the feed.',
  },
  PRICE_NEGATIVE: {
    meaning: 'The price is below zero.',
    hint: 'Look at the raw row: it may be a refund or a discount instead of a price.',
  },
  PRICE_ON_REQUEST: {
    meaning: 'The price is told on request only (`POA`, “call for price”).',
    hint: 'There is nothing to do: an offer without a price is not shown.',
  },
  PRICE_TOO_HIGH: {
    meaning: 'The price is above 9,999,999.99.',
    hint: 'Look at the raw row: a product code may stand in the price, or the unit may be a fraction of the currency.',
  },
  CURRENCY_UNKNOWN: {
    meaning: 'The row names a currency that ISO 4217 does not know, or none, and the feed has no default.',
    hint: 'Set the feed’s currency, or name the right column in its column map.',
  },
  CURRENCY_CONFLICT: {
    meaning: 'The price names another currency than the currency column.',
    hint: 'Ask the network which of the two is right; leave the currency column out of the column map if it is the price.',
  },
  INVALID_URL: {
    meaning: 'The link is not a usable http or https address.',
    hint: 'Look at the raw row: the message says what is wrong with the link.',
  },
  IDENTITY_MISSING: {
    meaning: 'The row has neither an item id, nor an SKU, nor a usable link to be told apart by.',
    hint: 'Name the columns of the item id or SKU in the feed’s column map.',
  },
} as const satisfies Record<string, { meaning: string; hint: string }>

export type RowCode = keyof typeof rowCodes
