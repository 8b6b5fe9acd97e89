import { PermanentError } from '../../queue/job-error.ts'
import type { FeedConnection } from './connection.ts'

// oxlint-disable-next-line no-control-regex -- what ends a command of FTP must not stand in a path
const control = /[\x00-\x1f\x7f]/

/** A path goes into a command of FTP, where a line break would begin the next one. */
export function checkPath({ path }: FeedConnection): void {
  if (control.test(path))
    throw notAFile(path.replaceAll(new RegExp(control, 'g'), '�'), 'no path, for it holds control characters')
  if (path === '' || path.endsWith('/')) throw notAFile(path, 'a folder')
}

export const notAFile = (path: string, what: string): PermanentError =>
  new PermanentError(`"${path}" is ${what}, and not a file.`, { code: 'FEED_FILE_NOT_USABLE' })
