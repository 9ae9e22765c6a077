import { literal } from '../../core/text/sqlText.ts';
import { timestampOf } from '../bucketTime.ts';
import type { Stretch } from '../changes/bucketStretches.ts';

/**
 * A metric's query for the rows that count most in one bucket, ready to paste: with values in place of parameters, which DuckDB fills in only
 * when it runs a query.
 */
export function contributorsSql(query: string, { chain, from, until }: Stretch): string {
  const at = (moment: number) => `TIMESTAMP '${timestampOf(moment)}'`;
  const values: Readonly<Record<string, string>> = { $chain: literal(chain), $from: at(from), $until: at(until) };
  return query.trim().replace(/\$\w+/g, (name) => values[name] ?? name);
}
