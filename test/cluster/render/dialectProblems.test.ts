import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { dialectProblems } from '../../../src/cluster/render/dialectProblems.ts';
import { keyList } from '../../../src/core/text/sqlText.ts';
import { querySql } from '../../../src/load/packageFiles.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { contradictionsSql } from '../../../src/transform/reconcile/contradictionsSql.ts';

const models = await readModels();
const statements = [...models, ...(await readAudits())];

test.each(metricsOf(models))('the rows that count most of $name are read alike', ({ contributors }) => {
  expect(dialectProblems(contributors)).toEqual([]);
});

test.each(statements)('$file is read alike by DuckDB and Trino', ({ file, line, sql }) => {
  const found = dialectProblems(sql).map((one) => `${file}:${line + one.line - 1}: ${one.problem}`);
  expect(found).toEqual([]);
});

test.each([
  ['SELECT a // b', '//'],
  ['SELECT a / b', '/'],
  ["SELECT date_diff('day', a, b)", 'date_diff'],
  ['SELECT avg(x)', 'avg'],
  ['SELECT unnest(l) FROM t', 'unnest in SELECT'],
  ['SELECT l[1]', 'a subscript'],
  ['SELECT f(l)[1]', 'a subscript'],
  ['SELECT t + INTERVAL 1 DAY', 'INTERVAL without quotes'],
  ["SELECT t - INTERVAL '1' MICROSECOND", 'INTERVAL below milliseconds'],
  ['SELECT CAST(x AS TIMESTAMP)', 'TIMESTAMP without digits'],
  ['SELECT substr(x, -4)', 'substr from the end'],
  ['SELECT substring(x, -4)', 'substr from the end'],
  ['SELECT substr(lower(trim(x)), -4)', 'substr from the end'],
  ['SELECT substring(x FROM -4)', 'substr from the end'],
  ["SELECT regexp_replace(x, 'a', 'b')", 'regexp_replace'],
  ["SELECT regexp_replace(lower(x), '^a|b', 'c')", 'regexp_replace'],
  ["SELECT regexp_replace(x, '^a', 'b', 'g') || regexp_replace(y, z, '^')", 'regexp_replace'],
  ['SELECT concat(a, b)', 'concat'],
  ["SELECT regexp_extract(x, 'a')", 'regexp_extract'],
  ["SELECT split_part(x, '-', 2)", 'split_part'],
  ['SELECT extract(dow FROM date_trunc(x, y))', 'extract(dow)'],
  ["SELECT x LIKE '%--%' AND\n a / b > 1 AND c = 'x'", '/', 3],
  ["SELECT x LIKE '/*' AND a / b > 1 AND c = '*/'", '/'],
  ['SELECT a, sum(b) GROUP BY ALL', 'GROUP BY ALL'],
  ['SELECT arg_max(a, b)', 'arg_max'],
  ['SELECT approx_count_distinct(a)', 'an approximate count'],
  ['SELECT DISTINCT ON (a) a', 'DISTINCT ON'],
  ['SELECT a FROM t QUALIFY row_number() OVER () = 1', 'QUALIFY'],
  ['SELECT a IS NOT TRUE', 'IS TRUE'],
  ['SELECT a ORDER BY ALL', 'ORDER BY ALL'],
  ['SELECT a::INTEGER', '::'],
  ['SELECT least(a, b)', 'least'],
  ['SELECT greatest(coalesce(a, b), f(b, c))', 'greatest'],
])('%s is refused', (sql, what, line = 2) => {
  expect(dialectProblems(`SELECT 1,\n${sql}`)).toEqual([{ line, problem: expect.stringMatching(`^${escaped(what)}`) }]);
});

test.each([
  "SELECT 'a / b', 1 -- a / b",
  'SELECT 1 /* a // b */',
  'SELECT u.i FROM t CROSS JOIN UNNEST(t.l) AS u (i)',
  "SELECT t + INTERVAL '1' DAY",
  'SELECT CAST(x AS TIMESTAMP(6)), CAST(y AS JSON[])',
  'SELECT least(coalesce(a, b), coalesce(b, a)), greatest(coalesce(f(a, g(b)), 1), 1)',
  'SELECT substr(x, 1, length(x) - 4), substr(lower(x), 2) || -1',
  "SELECT u.i FROM UNNEST(ARRAY['a', 'b']) AS u (i)",
  "SELECT regexp_replace(lower(x), '^a', 'b'), concat_ws('-', a, b)",
  "SELECT regexp_replace(f(g(h(a))), '^a', 'b'), extract(dow FROM f(g(h(a)))) % 7",
  "SELECT nullif(regexp_extract(x, 'a'), ''), nullif(split_part(x, '-', 2), '')",
  'SELECT extract(dow FROM date_trunc(x, f(y))) % 7',
  "SELECT 1 -- it's / they're\n, 'a -- b', 2 /* it's */",
  `SELECT "it's", 'a / b'`,
])('%s is not', (sql) => {
  expect(dialectProblems(sql)).toEqual([]);
});

test('what lookups are asked for by is read alike', () => {
  const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
  const lookups = catalogue.flatMap((stream) => (stream.way === 'lookup' ? [stream] : []));
  expect(lookups.length).toBeGreaterThan(2);
  for (const stream of lookups) {
    const given = stream.id === 'data/transaction_details' ? { chainIds: ['1'] } : {};
    for (const partition of stream.partitions(stream.parameters.parse(given) as never, network))
      expect(dialectProblems(stream.keys(partition))).toEqual([]);
  }
  expect([[], ["it's"]].map(keyList).flatMap(dialectProblems)).toEqual([]);
});

test.each(['served_values', 'served_consistency', 'served_freshness', 'changed_hours', 'lake_continuity'] as const)(
  '%s, which is asked of both, is read alike',
  (name) => {
    // Loads have numbers of their own, so there are no equals among which one could be taken; gaps are literals.
    const differing = dialectProblems(querySql(name, name === 'served_values' ? { chains: "'1'" } : {})).filter(
      ({ problem }) => !/^arg_max|^greatest/.test(problem),
    );
    expect(differing).toEqual([]);
  },
);

test('so is how many days contradict each other', () => {
  expect(dialectProblems(contradictionsSql)).toEqual([]);
});

const escaped = (text: string) => text.replace(/[/:.()]/g, '\\$&');
