import { expect, test } from 'vitest';
import { withoutEnd } from '../../../src/report/query/withoutEnd.ts';

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['SELECT 1;', 'SELECT 1'],
  ['SELECT 1 ; ;\n', 'SELECT 1'],
  ["SELECT 1; -- it's", 'SELECT 1'],
  ['SELECT 1; /* more;\nof it */ -- and\n', 'SELECT 1'],
  ["SELECT ';--' -- last", "SELECT ';--'"],
  ['SELECT 1 -- one\n + 1; -- two', 'SELECT 1 -- one\n + 1'],
  ["SELECT 'it''s;'", "SELECT 'it''s;'"],
  ["SELECT e'it\\'s;';", "SELECT e'it\\'s;'"],
  ['SELECT "a;"";" FROM t;', 'SELECT "a;"";" FROM t'],
  ['SELECT $$a;--$$;', 'SELECT $$a;--$$'],
  ['SELECT $x$ $$; $x$ ;', 'SELECT $x$ $$; $x$'],
  ['SELECT 1; SELECT 2;', 'SELECT 1; SELECT 2'],
  ["SELECT 'open;", "SELECT 'open"],
  ['-- nothing\n;', ''],
])('%j is %j', (sql, statement) => {
  expect(withoutEnd(sql)).toBe(statement);
});
