/** The moment that most tests begin at; `at(5)` is five seconds later. */
export const at = (seconds = 0): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000)
