/** How many rows the demo's catalogue has at first, and how many of them its second file has left. */
export const catalogRows = 5_000
export const keptRows = 3_000

const header =
  'Catalog Item Id,Name,Description,Url,Image URL,Price,Current Price,Currency,Stock Availability,Manufacturer,Category,GTIN,SKU'

const adjectives = ['Light', 'Warm', 'Folding', 'Quiet', 'Sturdy', 'Wide', 'Packable', 'Bright', 'Dry', 'Soft']
const things = [
  'tent',
  'lantern',
  'jacket',
  'backpack',
  'sleeping bag',
  'stove',
  'bottle',
  'mat',
  'rope',
  'pair of gloves',
]
const makers = ['Fernhill', 'Oakrow', 'Tarnside', 'Heath & Co', 'Brackwater']

/** The first rows of a catalogue as Impact writes it: the same ones every time, a few of them with a mistake to look at. */
export function catalog(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => row(index + 1))
  return `${[header, ...lines].join('\n')}\n`
}

function row(n: number): string {
  const thing = things[n % things.length]!
  const name = `${adjectives[Math.floor(n / 10) % adjectives.length]} ${thing} ${n}`
  const cents = 900 + ((n * 7_919) % 24_000)
  const isReduced = n % 4 === 0
  const price = n % 1_000 === 0 ? 'POA' : amount(cents)
  const fields = [
    `MO-${n}`,
    n % 1_500 === 0 ? '' : name,
    `"A ${thing}, for days outside"`,
    `https://meadow-outdoor.example/p/${n}?utm_source=impact`,
    `https://meadow-outdoor.example/i/${n}.jpg`,
    price,
    isReduced && price !== 'POA' ? amount(Math.floor(cents * 0.8)) : '',
    'USD',
    n % 17 === 0 ? 'OutOfStock' : 'InStock',
    makers[n % makers.length],
    `"Outdoor > ${thing}s"`,
    gtin(n),
    `SKU-${n}`,
  ]
  return fields.join(',')
}

const amount = (cents: number) => (cents / 100).toFixed(2)

/** Twelve digits, the last of which checks the others. */
function gtin(n: number): string {
  const digits = `02089${String(n).padStart(6, '0')}`
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
