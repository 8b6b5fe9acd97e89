/** What an API key looks like: `frs_` and 256 bits in base64url. */
export const keyForm = /^frs_[A-Za-z0-9_-]{43}$/

/** Keys anywhere in a text, to take them out. */
export const keysInText = /frs_[A-Za-z0-9_-]{43}/g
