import { CommandError } from '../error.ts'

/** Sends one operation to the server's API, as any client would. */
export type Ask = <Data>(query: string, variables?: Record<string, unknown>) => Promise<Data>

type Answer<Data> = {
  data?: Data | null
  errors?: { message: string; extensions?: { code?: string; hint?: string } }[]
}

const keyRevoked = "The demo's own key was revoked: delete its folder to begin anew."

/** A client of the API with one key. */
export function createApi(url: string, key: string): Ask {
  return async <Data>(query: string, variables: Record<string, unknown> = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors = [] } = (await response.json()) as Answer<Data>
    const [first] = errors
    if (!first && data) return data
    const code = first?.extensions?.code ?? 'DEMO_FAILED'
    const hint = code === 'INVALID_KEY' ? keyRevoked : first?.extensions?.hint
    const message = first?.message ?? `The API answered ${response.status}.`
    throw new CommandError(code, message, hint ? { hint } : {})
  }
}
