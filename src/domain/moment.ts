const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** What is said of a moment that lies outside. */
export const outsideCalendar = 'must lie in the years 0001 to 9999, in UTC.'

/**
 * Whether a moment lies in the years that Postgres, JavaScript and ISO 8601 all write with four digits. To be asked after
 * the conversion to UTC: an offset can carry the last evening of 9999 into a year that is read back as no moment at all.
 */
export const isInCalendar = (moment: Date): boolean => moment.getTime() >= first && moment.getTime() <= last
