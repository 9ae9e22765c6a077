import { expect, test } from 'vitest';
import { withSources } from '../../../src/run/dbt/withSources.ts';

const names = { known: new Set(['mart.fct_utxo', 'raw.index']), macros: ['wide_sum'], catalogue: 'analytics' };

test.each([
  ['SELECT * FROM mart.fct_utxo', "SELECT * FROM {{ source('mart', 'fct_utxo') }}"],
  ['FROM mart.fct_utxo AS u, raw.index', "FROM {{ source('mart', 'fct_utxo') }} AS u, {{ source('raw', 'index') }}"],
  ['FROM mart.other AS o', 'FROM mart.other AS o'],
  ["SELECT 'mart.fct_utxo' -- mart.fct_utxo", "SELECT 'mart.fct_utxo' -- mart.fct_utxo"],
  [
    "/* it's */ FROM mart.fct_utxo /* mart.fct_utxo\n */",
    "/* it's */ FROM {{ source('mart', 'fct_utxo') }} /* mart.fct_utxo\n */",
  ],
  ["SELECT 'it''s mart.fct_utxo', \"mart.fct_utxo\"", "SELECT 'it''s mart.fct_utxo', \"mart.fct_utxo\""],
  ['SELECT wide_sum(x), sum(x), u.wide_sum', 'SELECT analytics.main.wide_sum(x), sum(x), u.wide_sum'],
])('%s', (sql, expected) => expect(withSources(sql, names)).toBe(expected));
