import { currencyOfWord } from './currency-codes.ts'

/** Signs and short names that mean one currency, as the country of the shop writes them. */
const certain = table(`
  AED=د.إ,درهم,Dh,Dhs AFN=؋ ALL=Lek,Lekë AMD=֏ AOA=kwz,Kz AUD=A$,AU$,AUS$ AZN=₼ BAM=KM,км BDT=৳,Tk BGN=лв,лева BHD=BD,.د.ب,د.ب
  BIF=FBu BOB=Bs,$b BRL=R$ BTN=Nu BYN=Rbl BZD=BZ$ CAD=C$,CA$,CAN$,CAD$ CHF=SFr,CHf,Fr,₣ CNY=元,圆,圓,人民币,yuan,RMB,CN¥ CRC=₡
  CUC=CUC$ CZK=Kč,Kčs CVE=Esc DJF=Fdj DKK=DKr DOP=RD$ DZD=دج,د.ج EGP=جنيه,ج.م,E£,LE ERN=Nfk,ናቕፋ,نافكا ETB=ብር EUR=€,euro,euros
  GEL=₾,ლ,lari,ლარი GHS=GH₵,₵ GNF=FG,GFr GTQ=Q GYD=G$,GY$ HKD=HK$ HUF=Ft IDR=Rp ILS=₪,nis,ש״ח,ש"ח,ש'ח,ש''ח INR=₹ IQD=ع.د,د.ع,ID
  JMD=J$ JOD=د.أ,د.ا JPY=円,yen,JP¥ KES=KSh,KShs KHR=៛ KRW=₩,원,won KWD=KD,د.ك KZT=₸,тг LAK=₭ LBP=ل.ل LKR=ரூ,රු LYD=LD,ل.د
  MAD=د.م MGA=Ar MKD=ден MMK=Ks MNT=₮ MOP=MOP$ MRU=UM MVR=Rf MWK=MK MXN=MX$,Mex$ MYR=RM MZN=MT NGN=₦ NZD=NZ$
  OMR=ر.ع PAB=B/.,B/ PEN=S/.,S/ PHP=₱ PLN=zł,zl,złotych PYG=₲ QAR=ر.ق RSD=дин,din RUB=₽,руб,рублей,рубля,р,Р RWF=FRw,RF,R₣
  SAR=ر.س,ريال SDG=ج.س SEK=SKr SGD=S$ STN=Db SYP=ل.س THB=฿,บาท TND=DT,د.ت TOP=T$ TRY=₺,TL TTD=TT$ TWD=NT$,NT TZS=TSh UAH=₴,грн,hrn
  UGX=USh USD=US$,USD$,USDollar,USDollars UYU=$U UZS=so'm,soʻm,Sʻ VND=₫,đ,VNĐ VUV=VT,Vt XAF=FCFA XOF=CFA YER=ر.ي ZAR=R ZMW=ZK ZWL=Z$ DEM=DM`)

/** Signs that several currencies share. The first is meant where nothing else is known; `?`: then none is. */
const shared = table(`
  USD,AUD,CAD,NZD,SGD,HKD,MXN,TWD,ARS,CLP,COP,BBD,BMD,BND,BSD,BZD,FJD,GYD,JMD,KYD,LRD,NAD,SBD,SRD,TTD,UYU,XCD,DOP=$,dollar,dollars
  GBP,EGP,GIP,FKP,LBP,SDG,SHP,SSP,SYP=£,₤,￡,pound,pounds,stg JPY,CNY=¥ ?,SEK,NOK,DKK,ISK=kr INR,PKR,LKR,NPR,MUR,SCR=Rs,₨,Re,र RON,MDL=lei IRR=ریال ?=تومان
  ?,BYN,ETB=Br ?,CHF,XAF,XOF,RWF=franc,francs,F ?,SAR,IRR,OMR,QAR,YER=﷼ ?,ANG,AWG=ƒ ?,RON,HNL,MDL=L ?,BHD,DZD,IQD,JOD,KWD,LYD,TND=دينار,د.
  ?,KGS,TJS,UZS=som ?,HRK=kn`)

function table(text: string): Map<string, readonly string[]> {
  const entries = text
    .trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const at = entry.indexOf('=')
      const codes = entry.slice(0, at).split(',')
      return entry
        .slice(at + 1)
        .split(',')
        .map((sign) => [sign, codes] as const)
    })
  return new Map(entries)
}

/** Names of up to two letters that everybody knows. The others are also words (`nu`, `um`, `ID`). */
const wellKnown = new Set('kr Kr KR Rs RS rs Rp RP rp RM rm Ft FT TL tl zl ZL KD Fr R'.split(' '))

const isShort = (name: string) => /^[A-Za-z]{1,2}$/.test(name)

/** Names are also written in other cases, as far as they are no words then. */
const inSmall = new Map(
  [...certain, ...shared]
    .filter(([name]) => !isShort(name) || wellKnown.has(name.toLowerCase()))
    .map(([name, codes]) => [name.toLowerCase(), codes]),
)

/**
 * What a sign or word says of the currency. `isCertain`: it can be no other, nor the one that was hinted at. Without a currency it
 * is one that only its country could tell, as `kr`.
 */
export type CurrencySign = { currency?: string; isCertain: boolean }

/**
 * Reads a sign, code or short name of a currency, of which blanks were taken out; null: it is none. Of what it may mean, the hint
 * wins. Against the hint `£` is sure to be pounds, but `$` is what programs print before any number.
 */
export function readCurrencySign(text: string, hint?: string): CurrencySign | null {
  const code = currencyOfWord(text)
  if (code !== null) return { currency: code, isCertain: true }
  const meant = certain.get(text) ?? shared.get(text) ?? inSmall.get(text.toLowerCase())
  if (meant === undefined && text.length > 2 && text.endsWith('.')) return readCurrencySign(text.slice(0, -1), hint)
  if (meant === undefined) return hint === 'HUF' && text === 'ft' ? { currency: hint, isCertain: true } : null
  const isHinted = hint !== undefined && meant.includes(hint)
  if (isShort(text) && !wellKnown.has(text) && hint !== undefined && !isHinted) return null
  const isOnly = meant.length === 1
  if (isHinted) return { currency: hint, isCertain: isOnly }
  const [usual = '?'] = meant
  return usual === '?'
    ? { isCertain: false }
    : { currency: usual, isCertain: isOnly || (hint !== undefined && text !== '$') }
}
