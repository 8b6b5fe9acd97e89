// The API key of this browser tab. It lives in sessionStorage alone, which ends with the tab: never in localStorage,
// never in the address.

const storageKey = 'freshet:api-key'
const form = /^frs_[A-Za-z0-9_-]{43}$/
const listeners = new Set()

export function readKey() {
  return sessionStorage.getItem(storageKey)
}

const keyIn = (text) => text.trim().replace(/^Bearer\s+/i, '')

/** What is wrong with a pasted key, or nothing; "Bearer" may stand before it. */
export function keyProblem(text) {
  return form.test(keyIn(text)) ? undefined : 'not a whole key: frs_ and 43 characters'
}

/** Takes a pasted key. Returns what is wrong with it, or nothing. */
export function setKey(text) {
  const problem = keyProblem(text)
  if (problem) return problem
  sessionStorage.setItem(storageKey, keyIn(text))
  tell()
  return undefined
}

export function forgetKey() {
  sessionStorage.removeItem(storageKey)
  tell()
}

export function onKeyChange(listener) {
  listeners.add(listener)
}

/** Any key in a text, cut to what may be shown. */
export function maskKeys(text) {
  return text.replace(/frs_[A-Za-z0-9_-]{43}/g, (key) => shortKey(key))
}

/** As much of a key as the server shows of it too. */
export function shortKey(key) {
  return `${key.slice(0, 12)}…`
}

function tell() {
  for (const listener of listeners) listener()
}
