/** `isRecognised`: the word stands in our table; otherwise it counts as in stock (S2 §7.1.1). */
export type Stock = { inStock: boolean; isRecognised: boolean }

// Without blanks, `-` and `_`. After S2 §7.1.1 the words of Google, Meta, Impact's API, Shopify and schema.org.
const inStock =
  words(`y yes true t 1 in instock available availablenow availableforsale availablefororder lowstock limited limitedstock
  limitedavailability limitedquantity fewleft onlineonly active onstock lagernd aufLager verfügbar enstock disponible disponibile`)
const outOfStock =
  words(`n no false f 0 out outofstock unavailable notavailable nostock notinstock backorder backordered onbackorder
  availableonbackorder preorder preordered presale preorderable soldout discontinued instoreonly reserved madetoorder oos inactive
  temporarilyoutofstock comingsoon endoflife nichtverfügbar nichtlieferbar ausverkauft épuisé agotado esaurito`)

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().split(/\s+/))
}

/** A stock cell is a word or two; more of it says nothing that the table knows. */
const longest = 100

/** Whether a shop sells the thing now, from its stock column: a word, a schema.org address, or a number of pieces. */
export function readStock(text: string | null | undefined): Stock {
  const given = (text ?? '').trim().toLowerCase()
  if (given === '') return { inStock: true, isRecognised: true }
  if (given.length > longest) return { inStock: true, isRecognised: false }
  const word = given.replace(/^(?:https?:\/\/)?schema\.org\//, '').replaceAll(/[\s_-]/g, '')
  if (outOfStock.has(word)) return { inStock: false, isRecognised: true }
  if (inStock.has(word)) return { inStock: true, isRecognised: true }
  return readQuantity(given) ?? { inStock: true, isRecognised: false }
}

/** `25`, `17+ in stock`, `0 in stock`, `-2`, `3.00`. */
function readQuantity(text: string): Stock | null {
  const [, sign = '', digits = ''] =
    /^([-+]?)\s?(\d{1,9})(?:[.,]0{1,4})?\+?(?:\s?(?:in stock|available|left|pcs|pieces))?$/.exec(text) ?? []
  return digits === '' ? null : { inStock: sign !== '-' && Number(digits) > 0, isRecognised: true }
}
