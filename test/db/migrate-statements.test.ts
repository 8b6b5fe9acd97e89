import { expect, test } from 'vitest'
import { withinTransaction } from '../../src/db/migrate/queue.ts'
import { splitStatements } from '../../src/db/migrate/statements.ts'

const texts = (sql: string) => splitStatements(sql).map(({ text }) => text)

test('splits at the semicolons between statements', () => {
  expect(texts('select 1;\nselect 2;;\n select 3')).toEqual(['select 1', 'select 2', 'select 3'])
})

test('leaves semicolons in strings, names and dollar quotes alone', () => {
  const statements = [`select ';', 'it''s;', "a;""b"`, `select E'\\';', $$a;'b$$, $tag$ $$;$$ $tag$`, 'select a$b$c']
  expect(texts(statements.join(';\n'))).toEqual(statements)
})

test('leaves semicolons in comments alone, nested ones too', () => {
  expect(texts('select 1 -- one; two\n+ 2; /* a; /* b; */ c; */ select 3')).toEqual([
    'select 1 -- one; two\n+ 2',
    'select 3',
  ])
})

test('leaves semicolons in parentheses and in atomic bodies alone', () => {
  const rule = 'create rule r as on insert to t do (select 1; select 2)'
  const body = 'create function f() returns int begin atomic select case when true then 1 end; select 2; end'
  expect(texts(`${rule};${body};select 3`)).toEqual([rule, body, 'select 3'])
})

test('folds white space and takes comments out of what a statement is recognised by', () => {
  expect(splitStatements('-- why\n\ncreate  /* x */ or\n  replace -- y\n view v;')).toEqual([
    { text: 'create  /* x */ or\n  replace -- y\n view v', plain: 'create or replace view v', line: 3 },
  ])
})

test('finds no statement in comments alone', () => {
  expect(texts('-- nothing;\n/* here; */ ;')).toEqual([])
})

test("takes transactions and concurrent builds out of the queue's plans, not out of their functions", () => {
  const plan = `BEGIN; SET LOCAL lock_timeout = 1;
    CREATE FUNCTION f() RETURNS void AS $$ BEGIN COMMIT; END; $$ LANGUAGE plpgsql;
    COMMIT;
    -- later
    CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON t (a);
    DROP INDEX CONCURRENTLY IF EXISTS j;`
  expect(withinTransaction(plan)).toBe(
    [
      'SET LOCAL lock_timeout = 1',
      'CREATE FUNCTION f() RETURNS void AS $$ BEGIN COMMIT; END; $$ LANGUAGE plpgsql',
      'CREATE INDEX IF NOT EXISTS i ON t (a)',
      'DROP INDEX IF EXISTS j',
    ].join(';\n'),
  )
})
