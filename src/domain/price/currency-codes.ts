/** The currencies that money is asked for in today (ISO 4217), and a few that shops and old price lists still name. */
const codes = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP
  CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR
  ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
  MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD
  SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD
  XCG XOF XPF YER ZAR ZMW ZWG ZWL BYR DEM PTE`.split(/\s+/),
)

/** Codes that are also words of a product's text: in small letters they are only that. */
const words = new Set('ALL BAM BOB COP CUP GEL LAK MAD MOP PEN SOS TOP TRY'.split(' '))

const threeDigits = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** The code of a currency as ISO 4217 writes it, of a cell that holds nothing else; null: there is no such currency. */
export function readCurrencyCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return codes.has(code) ? code : null
}

/** As `readCurrencyCode`, for a word amid others. */
export function currencyOfWord(word: string): string | null {
  const code = word.toUpperCase()
  return codes.has(code) && (word === code || !words.has(code)) ? code : null
}

/** Whether the smallest coin is a thousandth: `10.000 KWD` is ten dinars, not ten thousand. */
export const hasThousandths = (currency: string | undefined): boolean => threeDigits.has(currency ?? '')
