import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { codedError } from './errors.ts'

/** Reads what is asked from the body of a POST or the address of a GET. Whatever is not JSON there is the caller's mistake. */
export const readParameters: Plugin = {
  onRequestParse({ request, setRequestParser }) {
    setRequestParser(request.method === 'GET' ? fromAddress : fromBody)
  },
}

async function fromBody(request: Request): Promise<GraphQLParams> {
  const params = readJson(await readText(request), 'The body')
  if (typeof params === 'object' && params !== null) return params
  throw codedError('BAD_REQUEST', 'The body is not a JSON object.')
}

/** Bytes that are no UTF-8 would be replaced silently, and stored other than they were sent. */
async function readText(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw codedError('BAD_REQUEST', 'The body is not UTF-8.')
  }
}

function fromAddress({ url }: Request): GraphQLParams {
  const given = new URL(url).searchParams
  const json = (name: string) => {
    const text = given.get(name)
    return text ? (readJson(text, name) as Record<string, unknown>) : undefined
  }
  return {
    query: given.get('query') || undefined,
    operationName: given.get('operationName') || undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  }
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw codedError('BAD_REQUEST', `${what} is not JSON.`)
  }
}
