import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { createSchema, createYoga, type YogaInitialContext } from 'graphql-yoga'
import { createGraphiql } from '../../src/http/graphiql/page.ts'

export const goodKey = `frs_${'g'.repeat(43)}`
export const weakKey = `frs_${'w'.repeat(43)}`

const typeDefs = /* GraphQL */ `
  type Query {
    retailers(first: Int): RetailerConnection!
    whoami: String!
    guarded: String!
    runs: Int!
  }
  type Mutation {
    createRetailer(input: CreateRetailerInput!): Retailer!
    createSource(input: CreateSourceInput!): Source!
  }
  type Subscription {
    whoami: String!
    guarded: String!
    ticks: Int!
    csrf: String
  }
  type RetailerConnection {
    totalCount: Int!
    nodes: [Retailer!]!
  }
  type Retailer {
    id: ID!
    slug: String!
    name: String!
    website: String
  }
  type Source {
    id: ID!
    name: String!
    visibility: Visibility!
  }
  type Visibility {
    visible: Boolean!
    reason: String!
  }
  enum SourceKind {
    DIRECT
  }
  input CreateRetailerInput {
    name: String!
    website: String
  }
  input CreateSourceInput {
    retailerId: ID!
    name: String!
    kind: SourceKind!
    url: String
  }
`

function refuseUnlessGood({ request }: YogaInitialContext): string {
  const header = request.headers.get('authorization')
  const code = { [`Bearer ${goodKey}`]: undefined, [`Bearer ${weakKey}`]: 'FORBIDDEN' }
  const refusal = header === null ? 'UNAUTHENTICATED' : header in code ? code[header] : 'INVALID_KEY'
  if (refusal) throw new GraphQLError('Refused.', { extensions: { code: refusal } })
  return 'you may'
}

const whoami = ({ request }: YogaInitialContext) => request.headers.get('authorization') ?? 'nobody'

async function* once<Value>(value: Value): AsyncGenerator<Value> {
  yield value
}

let ticking = 0
let runs = 0

/** A stream without an end, as those of runs and alerts are. */
async function* ticks(): AsyncGenerator<{ ticks: number }> {
  ticking++
  try {
    for (let number = 1; ; number++) {
      yield { ticks: number }
      await sleep(20)
    }
  } finally {
    ticking--
  }
}

const schema = createSchema<YogaInitialContext>({
  typeDefs,
  resolvers: {
    Query: {
      retailers: () => ({ totalCount: 0, nodes: [] }),
      whoami: (_root, _args, context) => whoami(context),
      runs: () => ++runs,
      guarded: (_root, _args, context) => refuseUnlessGood(context),
    },
    Mutation: {
      createRetailer: (_root, { input }: { input: object }) => ({ id: 'R1', slug: 'example-shop', ...input }),
      createSource: (_root, { input }: { input: { name: string; retailerId: string } }) => ({
        id: `source of ${input.retailerId}`,
        name: input.name,
        visibility: { visible: true, reason: 'DIRECT_WITHOUT_PRIMARY' },
      }),
    },
    Subscription: {
      whoami: { subscribe: (_root, _args, context) => once({ whoami: whoami(context) }) },
      ticks: { subscribe: ticks },
      csrf: { subscribe: (_root, _args, { request }) => once({ csrf: request.headers.get('x-freshet-csrf') }) },
      guarded: { subscribe: (_root, _args, context) => once({ guarded: refuseUnlessGood(context) }) },
    },
  },
})

/** GraphiQL before a small API that answers with the key it was sent: what the page does is seen without a database. */
export async function startStandIn() {
  const yoga = createYoga({ schema, graphiql: false, landingPage: false, logging: false })
  const graphiql = createGraphiql({ title: 'Freshet', endpoint: '/graphql' })
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (!graphiql.handle(request, response)) void yoga(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  return {
    url,
    /** Every request that reached the server. */
    asked,
    /** How many streams without an end are open. */
    ticking: () => ticking,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
