import { identifier, literal } from '../../core/text/sqlText.ts';
import { hasEnded, hasModel } from '../../transform/builds/frozenRows.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import type { Engine } from '../contract.ts';
import { expandMacros } from '../render/expandMacros.ts';
import { replaceSql } from './replaceSql.ts';

/** The table in which a lake holds the rows of a model that cannot be computed again, as a warehouse that was moved there left them. */
export const frozenTable = (model: string): string => `firn.frozen_${model.replace('.', '_')}`;

/**
 * Puts rows into a table that was built anew whose raw rows were dropped before the warehouse became a lake, as `keepFrozen` does on one
 * machine. Run again it does the same.
 *
 * @param columnsOf columns of a relation in their order; none where it is not there
 */
export async function putBackFrozen(
  engine: Engine,
  { name, keptAs }: PlacedModel,
  columnsOf: (relation: string) => readonly string[],
): Promise<void> {
  const [columns, held] = [columnsOf(name), columnsOf(frozenTable(name))];
  if (held.length === 0) return;
  const [table, from] = [engine.name(name), engine.name(frozenTable(name))];
  const values = (of: string) =>
    columns.map((column) => (held.includes(column) ? `${of}.${identifier(column)}` : 'NULL'));
  if (keptAs.kind === 'earliest') {
    const earlier = keptAs.key.map((key) => `t.${identifier(key)} = s.${identifier(key)}`).join(' AND ');
    const measures = held.filter((column) => !keptAs.key.includes(column)).map(identifier);
    const set = measures.map((column) => `${column} = coalesce(s.${column}, t.${column})`).join(', ');
    await engine.run(
      `MERGE INTO ${table} AS t USING ${from} AS s ON ${earlier} WHEN MATCHED THEN UPDATE SET ${set}
WHEN NOT MATCHED THEN INSERT (${columns.map(identifier).join(', ')}) VALUES (${values('s').join(', ')})`,
    );
    return;
  }
  const chains = await engine.query<{ chain_id: string; until: string }>(
    `SELECT chain_id, CAST(until AS VARCHAR) AS until FROM ${engine.name('firn.frozen')} ORDER BY chain_id`,
  );
  const isThere = name === 'mart.metric' ? ` AND ${hasModel('k.metric', engine.name('firn.model'))}` : '';
  for (const { chain_id: chain, until } of chains) {
    const moment = `TIMESTAMP ${literal(until)}`;
    const isOver = keptAs.kind === 'hours' ? `t.${identifier(keptAs.column)} < ${moment}` : hasEnded('t', moment);
    const rows = expandMacros(isOver, engine.words.macros);
    const select = `SELECT ${values('k')
      .map((value, i) => `${value} AS ${identifier(columns[i] as string)}`)
      .join(', ')} FROM ${from} AS k WHERE k.chain_id = ${literal(chain)}${isThere}`;
    await engine.run(replaceSql(table, columns, { chain, rows, select }));
  }
}
