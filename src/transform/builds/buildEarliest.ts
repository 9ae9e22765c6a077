import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { type DirtyRange, withinSql } from '../changes/dirtyRanges.ts';
import type { PlacedModel } from '../models/model.ts';
import { withScope } from '../scope.ts';

/**
 * Brings a table of first occurrences up to date. Only keys that occur in the changed hours, or first did there, can change; what they
 * had before those hours stays, and the rest is looked up again from there on.
 */
export async function buildEarliest(
  warehouse: Statements,
  model: PlacedModel,
  key: readonly string[],
  ranges: readonly DirtyRange[],
): Promise<void> {
  if (ranges.length === 0) return;
  const columns = await warehouse.query<{ column_name: string }>(`DESCRIBE ${model.name}`);
  const measures = columns.map(({ column_name }) => column_name).filter((name) => !key.includes(name));
  for (const chain of new Set(ranges.map((range) => range.chain))) {
    const own = ranges.filter((range) => range.chain === chain);
    await carryOn(warehouse, { model, key, measures }, chain, own);
  }
}

async function carryOn(
  warehouse: Statements,
  { model, key, measures }: { model: PlacedModel; key: readonly string[]; measures: readonly string[] },
  chain: string,
  ranges: readonly DirtyRange[],
): Promise<void> {
  const since = ranges.map(({ from }) => from).sort()[0] ?? '';
  const isTouched = (of: string) => key.map((name) => `${of}."${name}" = touched."${name}"`).join(' AND ');
  const keys = key.map((name) => `"${name}"`).join(', ');
  const lost = measures.map((name) => withinSql(`"${name}"`, ranges));
  await withScope(warehouse, { firn_chain: chain, firn_since: since }, () =>
    warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_fresh AS ${model.sql}`),
  );
  const next = (name: string) =>
    `coalesce(CASE WHEN old."${name}" < TIMESTAMP '${since}' THEN old."${name}" END, fresh."${name}")`;
  // Most keys were seen before: unchanged rows are not written again.
  const changes = measures.map((name) => `old."${name}" IS DISTINCT FROM ${next(name)}`).join(' OR ');
  // A scan for each measure passes over nearly all row groups, one for all of them over none: 4 ms in place of 42 for 1.2 M addresses.
  const known = lost.map(
    (column) => `SELECT ${keys} FROM ${model.name} WHERE chain_id = ${literal(chain)} AND (${column})`,
  );
  await warehouse.run(
    `CREATE OR REPLACE TEMP TABLE firn_touched AS
     ${[...known, `SELECT ${keys} FROM firn_fresh WHERE ${lost.join(' OR ')}`].join(' UNION ')}`,
  );
  await warehouse.run(
    `CREATE OR REPLACE TEMP TABLE firn_next AS
     SELECT old.rowid AS firn_row, ${key.map((name) => `touched."${name}"`).join(', ')},
       ${measures.map((name) => `${next(name)} AS "${name}"`).join(', ')}
     FROM firn_touched AS touched
     LEFT JOIN ${model.name} AS old ON ${isTouched('old')}
     LEFT JOIN firn_fresh AS fresh ON ${isTouched('fresh')}
     WHERE ${changes}`,
  );
  await warehouse.run(
    `DELETE FROM ${model.name} WHERE rowid IN (SELECT firn_row FROM firn_next);
     INSERT INTO ${model.name} BY NAME SELECT * EXCLUDE (firn_row) FROM firn_next WHERE coalesce(${measures.map((name) => `"${name}"`).join(', ')}) IS NOT NULL;
     DROP TABLE firn_touched; DROP TABLE firn_next; DROP TABLE firn_fresh`,
  );
}
