import { getOperationAST, type ExecutionArgs, type ExecutionResult, type GraphQLError } from 'graphql'
import { Counter, Histogram, type Registry } from 'prom-client'
import { boundedNames } from './names.ts'

const maxOperations = 60
const longestName = 80
const seconds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What clients ask, how long it takes and what goes wrong. A client chooses its operation names, so they are bounded. */
export function createGraphqlMetrics(registers: Registry[]) {
  const duration = new Histogram({
    name: 'freshet_graphql_operation_duration_seconds',
    help: 'Time to answer a GraphQL operation.',
    labelNames: ['type', 'name'],
    buckets: seconds,
    registers,
  })
  const operations = new Counter({
    name: 'freshet_graphql_operations_total',
    help: 'GraphQL operations answered, by whether their answer holds an error.',
    labelNames: ['type', 'name', 'outcome'],
    registers,
  })
  const errors = new Counter({
    name: 'freshet_graphql_errors_total',
    help: 'GraphQL errors sent to clients.',
    labelNames: ['code'],
    registers,
  })
  const bounded = boundedNames(maxOperations)
  const nameOf = (type: string, name: string | undefined) => {
    if (name === undefined) return 'anonymous'
    if (name.length > longestName || /frs_/.test(name)) return 'other'
    return bounded(`${type} ${name}`) === 'other' ? 'other' : name
  }
  return {
    /** Begins to time an operation; call the answer with its result. */
    startOperation({ document, operationName }: ExecutionArgs): (result: ExecutionResult) => void {
      const operation = getOperationAST(document, operationName)
      const type = operation?.operation ?? 'unknown'
      const labels = { type, name: nameOf(type, operation?.name?.value) }
      const stop = duration.startTimer(labels)
      return ({ errors: failures }) => {
        stop()
        operations.inc({ ...labels, outcome: failures?.length ? 'error' : 'ok' })
      }
    },
    /** Counts errors as they leave. */
    countErrors(shown: readonly GraphQLError[]): void {
      for (const { extensions } of shown) errors.inc({ code: String(extensions.code) })
    },
  }
}
