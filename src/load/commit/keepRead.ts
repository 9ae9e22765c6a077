import type { Declared } from '../../core/stream/stream.ts';
import { literal, sameRow } from '../../core/text/sqlText.ts';
import type { Transaction } from '../database/transaction.ts';
import type { StateBefore } from './lookBefore.ts';
import { type ReadyWrite, type RowCounts, withRows } from './writeRows.ts';

/**
 * Writes rows inside the open transaction, and keeps what was read before of the same ones where it is not read now, as the stream declares.
 * What stays counts as written by this load: the write leaves it alone, and models build it again.
 */
export async function keepRead(
  tx: Transaction,
  { keeps, table, children }: Declared,
  writes: readonly ReadyWrite[],
  { loadId, met }: Pick<StateBefore, 'loadId' | 'met'>,
  write: () => Promise<RowCounts>,
): Promise<RowCounts> {
  const writeOf = (child: string) => writes.find((one) => one.table === children[child]?.table);
  const [own, told, parts] = keeps
    ? [writes.find((one) => one.table === table), writeOf(keeps.told), writeOf(keeps.with)]
    : [];
  if (!keeps || !own || !told || !parts || !met.has(parts.table.name)) return write();
  const { name, key } = told.table;
  const wasRead = `old."${keeps.column}" = ${literal(keeps.is)}`;
  const heldIn = (of: ReadyWrite, where = of.range) => `(FROM ${of.table.name} AS old WHERE ${where})`;
  const kept = await withRows(tx, told, (fresh) =>
    withRows(tx, own, (read) =>
      tx.run(
        `UPDATE ${name} SET _load_id = ${loadId} WHERE rowid IN (
           SELECT old.rowid FROM ${name} AS old
           JOIN ${fresh} AS new ON ${sameRow('new', 'old', key)} AND new."${keeps.column}" <> ${literal(keeps.is)}
           JOIN ${heldIn(own)} AS before ON ${sameRow('before', 'old', table.key)}
           SEMI JOIN ${read} AS parent ON ${sameRow('parent', 'before', [...table.key, keeps.sameBy])}
           SEMI JOIN ${heldIn(parts)} AS part ON ${sameRow('part', 'old', key)}
           WHERE ${told.range} AND ${wasRead})`,
      ),
    ),
  );
  if (kept === 0) return write();
  const ofLoad = `${told.range} AND old._load_id = ${loadId}`;
  const staying = `${heldIn(told, `${ofLoad} AND ${wasRead}`)} AS staying`;
  const keptParts = await tx.run(
    `UPDATE ${parts.table.name} AS old SET _load_id = ${loadId} FROM ${staying} WHERE ${parts.range} AND ${sameRow('old', 'staying', key)}`,
  );
  const written = await write();
  // What the source says now was written beside it.
  await tx.run(
    `DELETE FROM ${name} AS old USING ${staying} WHERE ${ofLoad} AND NOT ${wasRead} AND ${sameRow('old', 'staying', key)}`,
  );
  return { ...written, childRows: written.childRows + keptParts, kept };
}
