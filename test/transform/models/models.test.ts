import { describe, expect, test } from 'vitest';
import { intervalsOf, metricNames as mirrorNames } from '../../../devnet/src/services/metrics/metricNames.ts';
import { variantsOf } from '../../../devnet/src/services/metrics/variants.ts';
import { declaredMetrics } from '../../../src/transform/models/declaredMetrics.ts';
import { eachMetric } from '../../../src/transform/models/eachMetric.ts';
import type { Metric } from '../../../src/transform/models/metric.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { modelOrder } from '../../../src/transform/models/modelOrder.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { contributorsSql } from '../../../src/transform/reconcile/contributorsSql.ts';

const about = 'description: Number of transactions, failed ones included.';
const metric = `${about}
metric:
  rank: 1
  title: Transactions
  unit: transactions
  intervals: [hour, day]
  needs: blocks since genesis
  variants: { with_atomic: atomic ones too }
  contributors: SELECT * FROM mart.fct_block WHERE chain_id = $chain AND block_time >= $from AND block_time < $until`;

describe('parseModel', () => {
  test('reads the header and leaves the SELECT', () => {
    const text = `/*
description: >-
  First line
  and second.
traps: 'none: really.'
kept: earliest by chain_id,address
files: { chain: chain_id, time: hour, order: [chain_id, hour] }
columns:
  chain_id: EVM chain id.
  hour: Start [UTC].
*/

SELECT 1 -- one
;
`;
    expect(parseModel('mart.x', 'sql/models/mart/x.sql', text)).toEqual({
      name: 'mart.x',
      file: 'sql/models/mart/x.sql',
      isWhole: false,
      sql: 'SELECT 1 -- one',
      line: 13,
      description: 'First line and second. Traps: none: really.',
      keptAs: { kind: 'earliest', key: ['chain_id', 'address'] },
      files: { chain: 'chain_id', by: { kind: 'time', column: 'hour' }, sort: ['chain_id', 'hour'] },
      columns: { chain_id: 'EVM chain id.', hour: 'Start [UTC].' },
      metric: null,
    });
  });

  test('reads which rows of a table may have changed', () => {
    const header = 'description: ten characters\nkept: table\nchanged:\n  a: SELECT 1 AS a\n  b: SELECT 2 AS b';
    expect(parseModel('mart.x', 'x.sql', `/*\n${header}\n*/\nSELECT 1 AS a`).keptAs).toEqual({
      kind: 'table',
      changed: { a: 'SELECT 1 AS a', b: 'SELECT 2 AS b' },
    });
  });

  test('reads a metric, and says in one text what it is', () => {
    const model = parseModel(
      'mart.metric_txCount',
      'sql/models/mart/metric_txCount.sql',
      `/*\n${metric}\n*/\nSELECT 1`,
    );
    expect(model.metric).toMatchObject({
      name: 'txCount',
      needs: { input: 'blocks', sinceGenesis: true },
      quotient: false,
      total_of: null,
    });
    expect(model.keptAs).toEqual({ kind: 'view' });
    expect(model.description).toBe(
      'txCount: Number of transactions, failed ones included. Unit: transactions. Intervals: hour, day. Needs every block since genesis.',
    );
  });

  test.each([
    ['no header', 'SELECT 1', /:1: write a header first/],
    ['a header that nothing ends', `/*\n${about}\nSELECT 1`, /:1: write a header first/],
    ['no YAML', '/*\ndescription: "open\n*/\nSELECT 1', /:\d: the header is not YAML: Missing closing "quote/],
    [
      'an alias of nothing',
      `/*\n${about}\ncolumns:\n  a: *important\n*/\nSELECT 1 AS a`,
      /:4: the header is not YAML: Unresolved alias .*: important\.$/,
    ],
    ['no header at the beginning', `SELECT 1\n/*\n${about}\n*/`, /:1: write a header first/],
    [
      'a mistake below a licence',
      `-- ours\n\n/* MIT */\n/*\n${about}\n\ncolour: red\n*/\nSELECT 1`,
      /:7: the header's colour: there is no such field\.$/,
    ],
    ['no description', '/*\nkept: table\n*/\nSELECT 1', /:2: the header's description: it is missing\.$/],
    ['a short one', '/*\ndescription: X\n*/\nSELECT 1', /:2: the header's description: write 10 letters or more\.$/],
    [
      'an unknown way to keep it',
      `/*\n${about}\nkept: jam\n*/\nSELECT 1`,
      /:3: the header's kept: write view, view by <time column>, .*/,
    ],
    [
      'changed keys of what is no table',
      `/*\n${about}\nchanged:\n  a: SELECT 1 AS a\n*/\nSELECT 1 AS a`,
      /:4: the header's changed: only what is kept: table says/,
    ],
    [
      'no changed keys',
      `/*\n${about}\nkept: table\nchanged: {}\n*/\nSELECT 1`,
      /:4: the header's changed: name the key/,
    ],
    [
      'an unknown field',
      `/*\n${about}\n\ncolour: red\n*/\nSELECT 1`,
      /:4: the header's colour: there is no such field\.$/,
    ],
    ['a column without a word', `/*\n${about}\ncolumns:\n  a: x\n  b:\n*/\nSELECT 1`, /:5: the header's columns.b: /],
    ['a metric that is named otherwise', `/*\n${metric}\n*/\nSELECT 1`, /:4: the header's metric: a metric stands in/],
  ])('%s: names file and line', (_, text, message) => {
    expect(() => parseModel('mart.x', 'sql/models/mart/x.sql', text)).toThrow(message);
    expect(() => parseModel('mart.x', 'sql/models/mart/x.sql', text)).toThrow(/^sql\/models\/mart\/x\.sql:/);
  });

  test.each(['-- ours, or not\n', '-- a\r\n-- b\r\n\r\n', '\n/* MIT */\n', '\uFEFF'])(
    'reads a header behind %j',
    (before) => {
      const lines = before.split('\n').length - 1;
      const plain = parseModel('mart.x', 'x.sql', `/*\n${about}\n*/\n\nSELECT 1 AS a`);
      expect(parseModel('mart.x', 'x.sql', `${before}/*\n${about}\n*/\n\nSELECT 1 AS a`)).toEqual({
        ...plain,
        line: plain.line + lines,
      });
    },
  );

  test.each([
    ['SELECT 1; -- all of them', 'SELECT 1 -- all of them'],
    ['SELECT 1\n;\n\n-- all\n/* of\n them; */\n', 'SELECT 1\n\n\n-- all\n/* of\n them; */'],
    ["SELECT 1; -- it's; so", "SELECT 1 -- it's; so"],
    ["SELECT '; -- a'", "SELECT '; -- a'"],
    ['SELECT 1 AS "; -- a"', 'SELECT 1 AS "; -- a"'],
    ['SELECT 1 -- all;', 'SELECT 1 -- all;'],
    ['SELECT 4 / 2 - 1 ;', 'SELECT 4 / 2 - 1'],
    ['SELECT 1; SELECT 2;', 'SELECT 1; SELECT 2'],
    ['', ''],
  ])('takes the semicolon from the end of %j, and nothing else', (sql, taken) => {
    expect(parseModel('mart.x', 'x.sql', `/*\n${about}\n*/\n${sql}`).sql).toBe(taken);
  });

  test.each([
    ['rank: 1', 'rank: 0', ":4: the header's metric.rank: "],
    ['unit: transactions', 'unti: transactions', ":6: the header's metric.unti: "],
    ['[hour, day]', '[hour, year]', ":7: the header's metric.intervals.1: "],
    ['blocks since genesis', 'blocks since monday', ":8: the header's metric.needs: "],
    ['with_atomic', 'withAtomic', ":9: the header's metric.variants.withAtomic: "],
    ['$until', '$to', ":10: the header's metric.contributors: name $chain, $from and $until in it"],
  ])('%s -> %s: names file and line', (from, to, message) => {
    const text = `/*\n${metric.replace(from, to)}\n*/\nSELECT 1`;
    const name = 'metric_txCount';
    expect(() => parseModel(`mart.${name}`, `sql/models/mart/${name}.sql`, text)).toThrow(
      `sql/models/mart/${name}.sql${message}`,
    );
  });
});

describe('metrics', () => {
  const one = (name: string, header: Partial<Metric> = {}): Model => {
    const model = parseModel(
      `mart.metric_${name}`,
      `sql/models/mart/metric_${name}.sql`,
      `/*\n${metric}\n*/\nSELECT 1`,
    );
    return { ...model, metric: { ...(model.metric as Metric), ...header } };
  };
  const metrics = [one('avgTps', { rank: 2, quotient: true }), one('txCount')];

  test('come in their order', () => {
    expect(metricsOf(metrics).map(({ name }) => name)).toEqual(['txCount', 'avgTps']);
  });

  test('of one rank, and totals of nothing, are refused with their file', () => {
    expect(() => metricsOf([...metrics, one('gasUsed')])).toThrow(
      'sql/models/mart/metric_gasUsed.sql has the rank 1 of sql/models/mart/metric_txCount.sql.',
    );
    expect(() => metricsOf([one('sumCount', { total_of: 'jam' })])).toThrow(
      "sql/models/mart/metric_sumCount.sql: the header's metric.total_of names no metric.",
    );
    const total = { rank: 3, total_of: 'txCount', variants: { exclusive: 'up to the start' } };
    for (const header of [
      { ...total, before: 'inclusive' },
      { ...total, total_of: null, before: 'exclusive' },
    ])
      expect(() => metricsOf([...metrics, one('sumCount', header)])).toThrow(
        "sql/models/mart/metric_sumCount.sql: the header's metric.before names none of the variants of a total.",
      );
    expect(metricsOf([...metrics, one('sumCount', { ...total, before: 'exclusive' })])).toHaveLength(3);
  });

  test('are written out where a model says "each", line by line', () => {
    const text = `/*\n${about}\ncolumns:\n  '{column} of each metric': '{title} ({metric}) [{unit}].'\n  last: Last.\n*/
SELECT
  max({metric}) AS {column}, -- each metric
  max({metric}) AS whole_{column}, -- each whole metric
  max({metric}) AS ratio_{column} -- each quotient
FROM (
  FROM mart.metric_{metric} -- each metric, joined by UNION ALL
)`;
    const { sql, columns } = eachMetric(parseModel('mart.x', 'sql/models/mart/x.sql', text), metricsOf(metrics));
    expect(sql.split('\n')).toEqual([
      'SELECT',
      'max(txCount) AS tx_count, max(avgTps) AS avg_tps,',
      'max(txCount) AS whole_tx_count,',
      'max(avgTps) AS ratio_avg_tps',
      'FROM (',
      'FROM mart.metric_txCount UNION ALL FROM mart.metric_avgTps',
      ')',
    ]);
    expect(Object.entries(columns)).toEqual([
      ['tx_count', 'Transactions (txCount) [transactions].'],
      ['avg_tps', 'Transactions (avgTps) [transactions].'],
      ['last', 'Last.'],
    ]);
  });

  test('name the rows that count most of a bucket, whatever a chain is called', () => {
    const query = contributorsSql(
      'SELECT * WHERE chain_id = $chain AND at >= $from AND at < $until AND note = $other\n',
      {
        chain: "it's $from",
        from: 0,
        until: 86_400,
      },
    );
    expect(query).toBe(
      `SELECT * WHERE chain_id = 'it''s $from' AND at >= TIMESTAMP '1970-01-01 00:00:00' AND at < TIMESTAMP '1970-01-02 00:00:00' AND note = $other`,
    );
  });

  test.each(declaredMetrics().map(({ name, contributors }) => [name, contributors] as const))(
    'name rows of %s that are still there when raw ones are dropped',
    (_, contributors) => expect(contributors).not.toMatch(/\b(?:raw|staging)\./),
  );

  test('are those that the embedded network serves, at the same intervals and by the same readings', () => {
    const declared = declaredMetrics().map(({ name, intervals, variants }) => [
      name,
      [intervals, Object.keys(variants).sort()],
    ]);
    const mirrored = mirrorNames.map((name) => [name, [intervalsOf(name), [...variantsOf[name]].sort()]]);
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(mirrored));
  });
});

describe('modelOrder', () => {
  const model = (name: string, ...references: string[]) => ({ name, references });

  test('puts each model after those it reads, whatever the order and case', () => {
    const ordered = modelOrder([model('m.c', 'm.B', 'raw.x'), model('m.a'), model('m.b', 'm.a')]);
    expect(ordered.map(({ name }) => name)).toEqual(['m.a', 'm.b', 'm.c']);
  });
});

describe('the models of the package', async () => {
  const models = await readModels();

  test.each(models.map((model) => [model.name, model] as const))('%s says what it is', (_, model) => {
    expect(model.description.length).toBeGreaterThan(30);
    if (model.keptAs.kind !== 'view') expect(Object.keys(model.columns).length).toBeGreaterThan(0);
  });
});
