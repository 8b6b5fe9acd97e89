import { PothosValidationError } from '@pothos/core'
import {
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  type GraphQLFieldConfig,
} from 'graphql'
import { DomainError } from '../../src/domain/errors.ts'
import type { Context } from '../../src/schema/builder.ts'

type Field = GraphQLFieldConfig<unknown, Context, Record<string, never>>

/** Ways to go wrong, each as a resolver might. `secret` stands in every message that must not be seen. */
export const secret = 'the-inside-of-the-server'
const shared = new Error(secret)
const failures: Record<string, (context: Context) => unknown> = {
  error: () => {
    throw new Error(secret)
  },
  text: () => {
    throw secret
  },
  shared: () => Promise.reject(shared),
  promise: () => Promise.reject(new TypeError(secret)),
  returned: () => new Error(secret),
  extended: () => {
    throw Object.assign(new Error(secret), { extensions: { code: secret, stack: secret } })
  },
  graphql: () => {
    throw new GraphQLError(secret)
  },
  graphqlCode: () => {
    throw new GraphQLError(secret, { extensions: { code: 'A_CODE_OF_ITS_OWN' } })
  },
  pothos: () => {
    throw new PothosValidationError(secret)
  },
  sql: ({ pool }) => pool.query(`select * from "${secret}"`),
  deadlock: ({ pool }) => pool.query(`do $$ begin raise exception '${secret}' using errcode = '40P01'; end $$`),
  prisma: ({ db }) => db.$queryRawUnsafe(`select * from "${secret}"`),
  aggregate: () => Promise.reject(new AggregateError([new Error(secret), new Error(secret)], secret)),
  domain: () => {
    throw new DomainError('CONFLICT', 'The retailer is closed.', { field: 'input.id', hint: 'Open it.' })
  },
}

/** A small schema whose resolvers a test can hold up, let fail and push events through. */
export function createTrial() {
  const notes: string[] = []
  const held: (() => void)[] = []
  const subscribers = new Set<ReturnType<typeof createSource>>()
  const open = () => {
    const source = createSource(() => subscribers.delete(source))
    subscribers.add(source)
    return source
  }

  const how = { how: { type: new GraphQLNonNull(GraphQLString) } }
  const sleep: Field = {
    type: GraphQLString,
    args: { seconds: { type: new GraphQLNonNull(GraphQLFloat) } },
    resolve: (_root, { seconds }, { pool }) => pool.query('select pg_sleep($1)', [seconds]).then(() => 'slept'),
  }
  /** Answers when the test lets it. */
  const heldField: Field = {
    type: GraphQLString,
    resolve: () => new Promise((resolve) => held.push(() => resolve('let go'))),
  }
  const fail: Field = {
    type: GraphQLString,
    args: how,
    resolve: (_root, args, context) => failures[args.how!]?.(context),
  }
  const shape = new GraphQLEnumType({ name: 'Shape', values: { ROUND: {} } })
  const item: GraphQLObjectType<unknown, Context> = new GraphQLObjectType({
    name: 'Item',
    fields: () => ({
      name: { type: GraphQLString, resolve: () => 'item' },
      items: { type: new GraphQLList(item), resolve: () => [{}] },
      fail,
    }),
  })
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType<unknown, Context>({
      name: 'Query',
      fields: {
        hello: {
          type: GraphQLString,
          args: { name: { type: GraphQLString } },
          resolve: (_root, { name }) => name ?? 'hello',
        },
        items: { type: new GraphQLList(item), resolve: () => [{}] },
        sleep,
        fail,
        failStrictly: { ...fail, type: new GraphQLNonNull(GraphQLString) },
        nothing: { type: new GraphQLNonNull(GraphQLString), resolve: () => null },
        noList: { type: new GraphQLList(GraphQLString), resolve: () => secret },
        noNumber: { type: GraphQLInt, resolve: () => secret },
        noShape: { type: shape, resolve: () => secret },
        held: heldField,
      },
    }),
    mutation: new GraphQLObjectType<unknown, Context>({
      name: 'Mutation',
      fields: {
        held: heldField,
        note: {
          type: GraphQLString,
          args: { text: { type: new GraphQLNonNull(GraphQLString) } },
          resolve: (_root, { text }) => (notes.push(text), text),
        },
      },
    }),
    subscription: new GraphQLObjectType<unknown, Context>({
      name: 'Subscription',
      fields: {
        /** Begins when the test lets it. */
        heldEvents: {
          type: GraphQLString,
          subscribe: () => new Promise<AsyncIterable<string>>((resolve) => held.push(() => resolve(open()))),
          resolve: (event) => event,
        },
        events: { type: GraphQLString, subscribe: open, resolve: (event) => event },
        failing: {
          type: GraphQLString,
          args: how,
          subscribe: (_root, args, context) => failures[args.how]?.(context),
        },
        failingLater: {
          type: GraphQLString,
          args: how,
          subscribe: open,
          resolve: (_event, args, context) => failures[args.how]?.(context),
        },
      },
    }),
  })
  return {
    schema,
    /** What mutations noted. */
    notes,
    /** How many requests are held up; `letGo` answers them. */
    held,
    letGo: () => held.splice(0).forEach((answer) => answer()),
    /** The sources that subscriptions have open. */
    subscribers,
    push: (event: string) => subscribers.forEach((source) => source.push(event)),
    breakOff: (error: Error) => subscribers.forEach((source) => source.fail(error)),
  }
}

/** Events that are pushed in; `whenClosed` is told when nobody listens any more. */
function createSource(whenClosed: () => void) {
  type Step = () => IteratorResult<string, undefined>
  const steps: Step[] = []
  let waiting: ((step: Step) => void) | undefined
  const add = (step: Step) => {
    if (waiting) waiting(step)
    else steps.push(step)
    waiting = undefined
  }
  return {
    push: (event: string) => add(() => ({ done: false, value: event })),
    fail: (error: Error) =>
      add(() => {
        throw error
      }),
    async next(): Promise<IteratorResult<string, undefined>> {
      const step = steps.shift() ?? (await new Promise<Step>((resolve) => (waiting = resolve)))
      return step()
    },
    async return(): Promise<IteratorResult<string, undefined>> {
      add(() => ({ done: true, value: undefined }))
      whenClosed()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
