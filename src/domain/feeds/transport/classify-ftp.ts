import type { FailureCode } from '../../failure-codes.ts'

type Rule = { codes: number[]; words?: RegExp; means: FailureCode }

/**
 * What an answer of an FTP server means; the first rule that fits. One number stands for several things (RFC 959 has 550 for
 * all that is wrong with a file, and servers use 530 for whatever keeps a user out), so that the words decide where there are some.
 */
const rules: Rule[] = [
  { codes: [421, 425, 450, 451, 452, 120, 434], means: 'FEED_SERVER_BUSY' },
  { codes: [426], means: 'TRANSFER_INTERRUPTED' },
  { codes: [530, 550, 534, 331], words: /\b(tls|ssl|encrypt\w*|secure)\b/i, means: 'TRANSPORT_MISMATCH' },
  { codes: [530], words: /too many|maximum|limit|try (again )?later/i, means: 'FEED_SERVER_BUSY' },
  { codes: [430, 530, 532, 331, 332], means: 'FEED_LOGIN_REFUSED' },
  { codes: [550, 553], words: /not a (plain|regular) file|is a directory/i, means: 'FEED_FILE_NOT_USABLE' },
  { codes: [550], words: /permission|denied|not allowed|forbidden|privilege/i, means: 'FEED_ACCESS_DENIED' },
  { codes: [550], means: 'FEED_FILE_NOT_FOUND' },
  { codes: [552], means: 'FEED_SERVER_BUSY' },
  { codes: [553], means: 'FEED_ACCESS_DENIED' },
  { codes: [500, 501, 502, 503, 504, 521, 522, 533, 534, 535, 536], means: 'TRANSPORT_MISMATCH' },
]

/** The code of ours for an answer of an FTP server; 4xx asks to try again (RFC 959 §4.2). */
export function ftpCodeOf(code: number, message: string): FailureCode {
  const rule = rules.find(({ codes, words }) => codes.includes(code) && (words?.test(message) ?? true))
  return rule?.means ?? 'TRANSFER_FAILED'
}
