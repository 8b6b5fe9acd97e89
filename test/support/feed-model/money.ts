/** Cents as files and Postgres write them. */
export const moneyOf = (cents: number): string => (cents / 100).toFixed(2)
