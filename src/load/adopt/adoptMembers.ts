import type { Row } from '../../core/columns/columnType.ts';
import { type Column, ownColumn, type Table } from '../../core/columns/table.ts';
import { Rows } from '../../core/rows/rows.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Writer } from '../database/writer.ts';

/** Rows that are looked at together. */
const atOnce = 20_000;

export interface AdoptOptions {
  /** Told of each member before its rows are looked at, which takes half a minute of a million rows. */
  readonly onMember?: (stream: string, member: string) => void;
  /** Called before each transaction; throws to stop there. */
  readonly check?: () => void;
}

/**
 * Moves members that the schemas know by now from `_extra`, where versions that did not know them kept them, into their columns, and strikes
 * them from `firn.schema_change`. What a schema does not take stays as it is. A member that is a list of records now stays, too: their
 * rows would be those of another table. No load says so, but a table with other columns is published anew.
 *
 * Rows are moved some thousand at a time, each time in a transaction of its own; after a kill the rest follows when the warehouse is opened again.
 *
 * @throws FirnError as the warehouse does · what `check` throws
 */
export async function adoptMembers(
  warehouse: Pick<Writer, 'query' | 'transaction'>,
  declared: readonly Pick<Declared, 'id' | 'table' | 'children'>[],
  { onMember, check }: AdoptOptions = {},
): Promise<void> {
  const noted = await warehouse.query<{ stream: string; member: string }>(
    'SELECT stream, member FROM firn.schema_change ORDER BY stream, member',
  );
  const known = knownBy(declared, noted);
  for (const { stream, member } of known) onMember?.(stream, member);
  for (const table of new Set(known.map((one) => one.table)))
    await adoptAll((from) => {
      check?.();
      return warehouse.transaction((tx) => adoptRows(tx, table, from));
    });
  if (known.length === 0) return;
  await warehouse.transaction(async (tx) => {
    for (const { stream, member } of known)
      await tx.run('DELETE FROM firn.schema_change WHERE stream = $1 AND member = $2', [stream, member]);
  });
}

/** Those members that a schema has a column for now, with its table. */
export function knownBy(
  declared: readonly Pick<Declared, 'id' | 'table' | 'children'>[],
  noted: readonly { readonly stream: string; readonly member: string }[],
) {
  const streams = new Map(declared.map((one) => [one.id, one]));
  return noted.flatMap(({ stream, member }) => {
    const one = streams.get(stream);
    const table = one && tableOf(one, member);
    return table ? [{ stream, member, table }] : [];
  });
}

/** The table that has a column for a member now, by its path: `from.rank`, `receipts[].logs[].removed`. */
function tableOf({ table, children }: Pick<Declared, 'table' | 'children'>, member: string): Table | undefined {
  const lists = Object.values(children).flatMap((child) =>
    [child.of ?? []].flat().map((of) => ({ table: child.table, prefix: `${of}.` })),
  );
  const path = member.replaceAll('[]', '');
  const knows = ({ table, prefix }: (typeof lists)[number]) =>
    path.startsWith(prefix) && table.knows(path.slice(prefix.length));
  return [{ table, prefix: '' }, ...lists].find(knows)?.table;
}

/** Moves what rows of a table have in `_extra` and the table has columns for by now, whether it was noted or not. */
export const adoptIn = (tx: Transaction, table: Table): Promise<void> => adoptAll((from) => adoptRows(tx, table, from));

async function adoptAll(next: (after: bigint) => Promise<bigint | undefined>): Promise<void> {
  for (let after: bigint | undefined = -1n; after !== undefined; ) after = await next(after);
}

const rowNumber = ownColumn('firn_row', 'bigint');

/** Values for columns of rows, and how an UPDATE sets them. */
export interface Adopted {
  readonly columns: readonly Column[];
  readonly rows: Rows;
  /** Rows before it are called `old`, and those of `rows` `new`. */
  readonly set: string;
}

/**
 * What rows have in `_extra` and their table has columns for; undefined where none has any.
 *
 * @param keys columns that tell the rows apart
 */
export function adoptedFrom(
  table: Table,
  keys: readonly Column[],
  read: readonly (Row & { readonly _extra: string })[],
): Adopted | undefined {
  const adopted = read.flatMap((row) => {
    const moved = table.adopt(row._extra);
    return moved ? [{ ...moved, ...Object.fromEntries(keys.map(({ name }) => [name, row[name]])) } as Row] : [];
  });
  if (adopted.length === 0) return undefined;
  // Also those of members that were not noted: of a page no more than a hundred are.
  const touched = new Set(adopted.flatMap(Object.keys));
  const changing = table.columns.filter(({ name }) => touched.has(name));
  const columns = [...keys, ...changing.map((column): Column => ({ ...column, nullable: true }))];
  const rows = new Rows(columns);
  for (const row of adopted) rows.append(row);
  const set = changing.map(({ name }) =>
    name === '_extra' ? '_extra = new._extra' : `"${name}" = coalesce(new."${name}", old."${name}")`,
  );
  return { columns, rows, set: set.join(', ') };
}

/** Moves what the next rows have. Gives the last of them, or nothing where they were the last of all. */
async function adoptRows(tx: Transaction, table: Table, after: bigint): Promise<bigint | undefined> {
  const read = await tx.query<{ firn_row: bigint; _extra: string }>(
    `SELECT rowid AS firn_row, _extra FROM ${table.name} WHERE _extra IS NOT NULL AND rowid > $1 ORDER BY rowid LIMIT ${atOnce}`,
    [after],
  );
  const adopted = adoptedFrom(table, [rowNumber], read);
  if (adopted) {
    const { columns, rows, set } = adopted;
    await tx.offer(columns, [rows], (from) =>
      tx.run(`UPDATE ${table.name} AS old SET ${set} FROM ${from} AS new WHERE old.rowid = new.firn_row`),
    );
  }
  return read.length < atOnce ? undefined : read.at(-1)?.firn_row;
}
