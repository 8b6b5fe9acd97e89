import { errorCodes } from './error-codes.ts'

/** What may go wrong with a feed: its server, its file, its columns, and what is noted of its rows. Part of the failure codes (`failure-codes.ts`). */
export const feedCodes = {
  FILE_TRUNCATED: {
    meaning: 'The compressed file of a feed ends too early: it was cut on the way, or was not written to its end yet.',
    hint: 'It is tried again. If it stays, download the file by hand: if it cannot be unpacked either, tell its network.',
  },
  FILE_CORRUPT: {
    meaning: 'The compressed file of a feed is damaged: its data or its checksum is wrong.',
    hint: 'It is tried again. If it stays, download the file by hand: if it cannot be unpacked either, tell its network.',
  },
  FILE_EXPANSION_LIMIT_EXCEEDED: {
    meaning: 'The file of a feed unpacks to more than is allowed.',
    hint: 'Unpack the file by hand. If it is a catalogue and no bomb, allow the feed larger files.',
  },
  FILE_ARCHIVE_REFUSED: {
    meaning: 'The zip archive of a feed does not hold exactly one file that can be read.',
    hint: 'Ask the network for gzip, or for a zip archive with one file, packed by deflate and not encrypted.',
  },
  FILE_NOT_UTF8: {
    meaning: 'Some bytes of a feed’s file are not valid UTF-8. They were read as Windows-1252, and the run went on.',
    hint: 'Look at the rows around that byte; where letters are wrong, ask the network for UTF-8.',
  },
  DECIMAL_MARK_UNCLEAR: {
    meaning:
      'The first prices of a feed’s file do not tell what stands before their cents: both marks do, or none, or another than the feed is set to. Prices like 1.299 may be wrong by a factor of a thousand.',
    hint: 'Look at the prices in the file and set the feed’s decimalMark to POINT or COMMA.',
  },
  FEED_EMPTY: {
    meaning: 'The file of a feed has no text in it, not even a header.',
    hint: 'Look at the file on its server. What the last good run brought stays until it expires.',
  },
  FEED_WITHOUT_ROWS: {
    meaning: 'The file of a feed has a header, and no row below it.',
    hint: 'Look at the file on its server: the network may still be writing it.',
  },
  FEED_NOT_CSV: {
    meaning: 'The file of a feed is no table of rows: an error page, XML, JSON or something else.',
    hint: 'Look at the file on its server, and check the path of the feed.',
  },
  FEED_HEADER_UNUSABLE: {
    meaning: 'The first row of a feed’s file does not name its columns.',
    hint: 'Check delimiter and quoting of the feed; ask the network for a file with a header.',
  },
  FEED_COLUMNS_MISSING: {
    meaning: 'The file of a feed lacks a column without which no row can become an offer: title, link or price.',
    hint: 'If another column tells it, name that in the feed’s columnMap; else check the dialect of the feed and the file.',
  },
  FEED_COLUMN_MAP_INVALID: {
    meaning: 'The columnMap of a feed names a field that does not exist, or a column that the file does not have.',
    hint: 'Mend the columnMap; testFeed shows the columns of the file.',
  },
  PARENT_ROW_SKIPPED: {
    meaning: 'A row stands for its variants and is itself not for sale. It was left out.',
    hint: 'There is nothing to do.',
  },
  ROW_COUNT_LIMIT_EXCEEDED: {
    meaning: 'The file of a feed has more rows than it may have.',
    hint: 'See whether it is the right file. If it is, raise the feed’s limit of rows.',
  },
  ROW_TOO_LONG: {
    meaning:
      'A row has more fields than the header has columns, so that its values may stand in wrong columns. It was left out.',
    hint: 'Look at the row: a delimiter in a text without quotes does this. If all rows are so, set the feed’s delimiter and quoting.',
  },
  ROW_TOO_LARGE: {
    meaning: 'A row has more characters than any product needs. It was left out.',
    hint: 'Look at the row in the file; the line ends behind it are missing.',
  },
  ROW_QUOTES_BROKEN: {
    meaning: 'A quote opens in a row that never closes, or closes in the middle of a field. The line was left out.',
    hint: 'Look at the line in the file. If quotes are letters there, as in 5" knife, set the feed’s quoting to NONE.',
  },
  ROW_HAS_NUL: {
    meaning: 'A row holds a NUL character, which no database takes. It was left out.',
    hint: 'Tell the network; its export is damaged there.',
  },
  ADDRESS_NOT_ALLOWED: {
    meaning: 'The host stands for addresses of a private network only, and those are not open to feeds and fetches.',
    hint: 'Correct the host. If it is meant, set FRESHET_ALLOW_PRIVATE_NETWORK=true and restart the workers.',
  },
  CREDENTIAL_UNREADABLE: {
    meaning:
      'The stored credential of the feed was not encrypted with a key that this process has, or was changed since.',
    hint: 'Give all processes the key it was encrypted with (CREDENTIAL_ENCRYPTION_KEY_B64, or CREDENTIAL_ENCRYPTION_OLD_KEY_B64 for the one before), or enter the credential of the feed anew.',
  },
  PRIVATE_KEY_UNUSABLE: {
    meaning: 'The private key of the feed cannot be read, or its passphrase is missing or wrong.',
    hint: 'Enter the private key in OpenSSH or PEM form, whole, and its passphrase if it has one.',
  },
  PLAIN_FTP_NOT_ALLOWED: {
    meaning: 'The feed uses FTP without encryption, and this installation does not allow that.',
    hint: 'Change the feed to SFTP or FTPS, or set AFFILIATE_FEED_ALLOW_PLAIN_FTP=true and restart the workers.',
  },
  FEED_HOST_UNKNOWN: {
    meaning: 'The name of the host could not be looked up.',
    hint: 'It is tried again. If it stays, check the host of the feed and the DNS of this machine.',
  },
  FEED_HOST_UNREACHABLE: {
    meaning: 'The host did not take the connection, or said nothing within the time limit.',
    hint: 'It is tried again. If it stays, check host and port, whether the server runs, and whether it lets the address of this machine in.',
  },
  FEED_SERVER_BUSY: {
    meaning: 'The server has no room at the moment: too many connections, or the file or its disk is in use.',
    hint: 'It is tried again. If it stays, run the feed at another time, or ask the network for more connections.',
  },
  FEED_LOGIN_REFUSED: {
    meaning: 'The server does not take the user name with this password or key.',
    hint: 'Enter the credential of the feed anew, and run its test.',
  },
  FEED_ACCESS_DENIED: {
    meaning: 'The server let the user in, but not at the file.',
    hint: 'Ask the network to let this user read the file, or correct the path.',
  },
  FEED_FILE_NOT_FOUND: {
    meaning: 'There is no file at the path, or none that this user may see.',
    hint: 'Correct the path of the feed: upper and lower case count, and it is seen from the folder that the user logs in to.',
  },
  FEED_FILE_NOT_USABLE: {
    meaning: 'What is at the path is no file, or the path is none.',
    hint: 'Correct the path of the feed so that it names one file.',
  },
  HOST_KEY_CHANGED: {
    meaning: 'The SSH server shows another host key than those accepted. Nothing was sent to it, no password either.',
    hint: 'Ask the network whether it changed its key. If it did, accept the new fingerprint with `acceptHostKey`; if not, somebody may be listening.',
  },
  TLS_CERTIFICATE_REFUSED: {
    meaning: 'The certificate of the server is expired, for another host, or from nobody known. No password was sent.',
    hint: 'Use the host name that the certificate is for, or ask the network to mend it. A certificate of a private authority is trusted through NODE_EXTRA_CA_CERTS.',
  },
  TRANSPORT_MISMATCH: {
    meaning: 'The server does not speak what the feed is set to: another protocol, another way of encryption, no SFTP.',
    hint: 'Compare transport, TLS mode and port of the feed with what the network names: SFTP usually has 22, FTP and explicit FTPS 21, implicit FTPS 990.',
  },
  TRANSFER_INTERRUPTED: {
    meaning: 'The connection was lost before the whole file was here.',
    hint: 'It is tried again. If it stays, look at the network between here and the server.',
  },
  TRANSFER_TIMED_OUT: {
    meaning: 'The server stopped sending, sent too slowly, or the whole took too long.',
    hint: 'It is tried again. If it stays, run the feed at another time, or ask the network why its server is slow.',
  },
  TRANSFER_INCOMPLETE: {
    meaning: 'What arrived is not as long as the server says that the file is. It was not used.',
    hint: 'It is tried again. If it stays, the network may be writing the file at that time: run the feed at another.',
  },
  TRANSFER_FAILED: {
    meaning: 'The server, or a library of ours, failed in a way that has no code of its own.',
    hint: 'It is tried again. If it stays, the message says what the server answered.',
  },
  FEED_FILE_CHANGED: {
    meaning: 'The file was changed on the server while it was read. It was not used.',
    hint: 'It is tried again. If it stays, run the feed at a time when the network does not write the file.',
  },
  FILE_SIZE_LIMIT_EXCEEDED: {
    meaning: 'The file is larger than the feed allows. The download was stopped there.',
    hint: 'Check that the path names the right file; if it does, raise the size limit of the feed.',
  },
  DISK_FULL: {
    meaning: 'The disk of this machine has no room for the file.',
    hint: 'Make room in FRESHET_DATA_DIR, or give it a larger disk. It is tried again.',
  },
  UNIQUE_PRODUCT_LIMIT_EXCEEDED: {
    meaning: 'The file of a feed has more different products than it may have.',
    hint: 'See whether it is the right file. If it is, raise the feed’s limit of products.',
  },
  FEED_NOT_ENABLED: errorCodes.FEED_NOT_ENABLED,
  DUPLICATE_ROW_SAME_IDENTITY: {
    meaning: 'Several rows of a file are the same product. The last one counts; this is no error.',
    hint: 'If they are different products, give the file an item id or SKU that tells them apart.',
  },
  URL_HASH_FALLBACK: {
    meaning: 'A row has neither an item id nor a SKU, so that its address tells it apart. This is no error of the row.',
    hint: 'Ask the network for item ids or SKUs: many such rows block a run.',
  },
  IDENTITY_UPGRADE_DETECTED: {
    meaning:
      'A product that was known by its address or SKU now has a better identifier: a new one was made, the old expires.',
    hint: 'There is nothing to do.',
  },
  PATH_CASE_COLLISION: {
    meaning: 'Two products without an identifier have the same address but for upper and lower case.',
    hint: 'If the shop does not tell them apart either, ask for an item id or SKU in the file.',
  },
  IMPLAUSIBLE_PRICE: {
    meaning:
      'A price is more than ten times what it was, or less than a tenth. It is held back until the next run repeats it.',
    hint: 'If it is true, acceptPrice shows it at once.',
  },
} as const satisfies Record<string, { meaning: string; hint: string }>
