import pg from 'pg'
import type { TestDatabase } from './database.ts'

/** A role that may log in and nothing else, its address, and connections as that role. */
export async function createTestRole(database: TestDatabase) {
  const name = `freshet_test_${Math.random().toString(36).slice(2, 10)}`
  await database.pool.query(`create role ${name} login password 'of-the-test'`)
  const url = new URL(database.url)
  url.username = name
  url.password = 'of-the-test'
  return {
    name,
    url: url.href,
    connect() {
      const pool = new pg.Pool({ connectionString: url.href, max: 2 })
      return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() })
    },
    async [Symbol.asyncDispose]() {
      await database.pool.query(`drop owned by ${name}`)
      await database.pool.query(`drop role ${name}`)
    },
  }
}
