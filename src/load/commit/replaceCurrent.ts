import type { Column, Table } from '../../core/columns/table.ts';
import { identifier, sameRow } from '../../core/text/sqlText.ts';
import type { Transaction } from '../database/transaction.ts';
import { isListed, keyOf, type Staged } from './staged.ts';

/** Rows of a snapshot, and which rows of its table they replace. */
export interface Replacement extends Staged {
  readonly loadId: number;
  /** What picks the current rows (`old`) of the partition. */
  readonly isMine: string;
  /** What picks those of them that end without a successor. */
  readonly isGone: string;
  /** When the snapshot was taken, in SQL. */
  readonly at: string;
}

/** What a snapshot holds that a table does not, and the reverse. Most snapshots equal the one before: this look spares them the rest. */
type Differences = {
  readonly table: string;
  /** Current rows whose keys the snapshot does not have; 0 where these stay. */
  readonly gone: bigint;
  /** Staged rows that no current row equals, volatile columns aside. */
  readonly changed: bigint;
  /** Staged rows that no current row equals in volatile columns too. */
  readonly moved: bigint;
  /** Staged rows that no row of the day equals. */
  readonly ofDay: bigint;
};

/**
 * Makes the staged rows the current ones of their partition.
 *
 * @returns rows that began, ended without a successor, or changed in volatile columns alone; where none did, those of which the values of a new day
 *   are kept
 */
export async function replaceCurrent(
  tx: Transaction,
  replacements: readonly Replacement[],
): Promise<{ readonly rows: number; readonly childRows: number }> {
  const written = { rows: 0, childRows: 0 };
  const differences = await tx.query<Differences>(replacements.map(differencesSql).join(' UNION ALL '));
  for (const replacement of replacements) {
    const found = differences.find(({ table }) => table === replacement.table.name) as Differences;
    written[replacement.child === null ? 'rows' : 'childRows'] += await replaceIn(tx, replacement, found);
  }
  return written;
}

const namesOf = (columns: readonly Column[] = []) => columns.map(({ name }) => name);

/** Columns by what becomes of a row in which they change. */
function columnsOf({ table, columns }: Staged) {
  const volatile = new Set(namesOf(table.volatile?.columns));
  return {
    keys: table.key,
    lasting: namesOf(columns).filter((name) => !volatile.has(name)),
    moving: namesOf(table.volatile?.columns),
  };
}

/** Rows (`old`) of the day of a moment. */
const isDay = (at: string) => `old."day" = date_trunc('day', ${at})`;

function differencesSql(replacement: Replacement): string {
  const { table, stage, isMine, isGone, at } = replacement;
  const { keys, lasting, moving } = columnsOf(replacement);
  // Not by a condition that no such row exists: DuckDB would group the rows by all of these columns first, at four times the cost.
  const without = (current: string, equal: string) =>
    `(SELECT count(*) FROM ${stage} AS new ANTI JOIN (FROM ${current}) AS old ON ${equal})`;
  const mine = `${table.name} AS old WHERE ${isMine}`;
  const none = 'CAST(0 AS BIGINT)';
  const ofDay = `${table.volatile?.daily.name} AS old WHERE ${isDay(at)}`;
  return `SELECT '${table.name}' AS "table", (SELECT count(*) FROM ${mine} AND ${isGone}) AS gone,
    ${without(mine, sameRow('new', 'old', lasting))} AS changed,
    ${table.volatile ? without(mine, sameRow('new', 'old', [...lasting, ...moving])) : none} AS moved,
    ${table.volatile ? without(ofDay, sameRow('new', 'old', [...keys, ...moving])) : none} AS "ofDay"`;
}

async function replaceIn(tx: Transaction, replacement: Replacement, differences: Differences): Promise<number> {
  const { table, stage, columns, loadId, isMine, isGone, at } = replacement;
  const { keys, lasting, moving } = columnsOf(replacement);
  const names = namesOf(columns).map(identifier).join(', ');
  const key = keyOf(table);
  const gone = Number(differences.gone);
  // A row may stand on two pages of a list that changes while it is read: the later one counts.
  const fresh = `(SELECT DISTINCT ON (${key}) ${names} FROM ${stage} ORDER BY ${key}, rowid DESC)`;
  if (gone > 0 || differences.changed > 0)
    await tx.run(
      `UPDATE ${table.name} AS old SET _valid_to = greatest(${at}, old._valid_from)
       WHERE ${isMine} AND old.rowid NOT IN (
         SELECT old.rowid FROM ${table.name} AS old SEMI JOIN ${fresh} AS new ON ${sameRow('new', 'old', lasting)} WHERE ${isMine}
       ) AND (${isListed(replacement)} OR ${isGone})`,
    );
  // Where the clock was set back, a row begins when the one before it ended.
  const ended = `(SELECT ${key}, max(_valid_to) AS _ended FROM ${table.name} WHERE _valid_to > ${at} GROUP BY ${key})`;
  const begun =
    differences.changed > 0 &&
    (await tx.run(
      `INSERT INTO ${table.name} (${names}, _load_id, _valid_from)
       SELECT new.*, ${loadId}, coalesce((SELECT _ended FROM ${ended} AS e WHERE ${sameRow('new', 'e', keys)}), ${at}) FROM ${fresh} AS new
       WHERE NOT EXISTS (SELECT 1 FROM ${table.name} AS old WHERE ${isMine} AND ${sameRow('new', 'old', keys)})
       ORDER BY ${key}`,
    ));
  const moved =
    differences.moved > 0 &&
    (await tx.run(
      `UPDATE ${table.name} AS old SET ${moving
        .map(identifier)
        .map((name) => `${name} = new.${name}`)
        .join(', ')}, _load_id = ${loadId}
       FROM ${fresh} AS new WHERE ${isMine} AND ${sameRow('new', 'old', keys)} AND NOT (${sameRow('new', 'old', moving)})`,
    ));
  const ofDay =
    table.volatile && differences.ofDay > 0 && (await keepDay(tx, table.volatile.daily, fresh, replacement));
  return gone + (begun || 0) + (moved || 0) || ofDay || 0;
}

/** Records the values just seen as the last ones of their day, and returns how many these are. */
async function keepDay(tx: Transaction, daily: Table, fresh: string, replacement: Replacement): Promise<number> {
  const { at, loadId } = replacement;
  const { keys, moving } = columnsOf(replacement);
  const sameDay = `${isDay(at)} AND ${sameRow('new', 'old', keys)}`;
  return tx.run(
    `DELETE FROM ${daily.name} AS old USING ${fresh} AS new WHERE ${sameDay} AND NOT (${sameRow('new', 'old', moving)});
     INSERT INTO ${daily.name} (${[...keys, 'day', ...moving].map(identifier).join(', ')}, _load_id)
     SELECT ${[...keys.map(identifier), `date_trunc('day', ${at})`, ...moving.map(identifier)].join(', ')}, ${loadId} FROM ${fresh} AS new
     WHERE NOT EXISTS (SELECT 1 FROM ${daily.name} AS old WHERE ${sameDay}) ORDER BY ${keys.map(identifier).join(', ')}`,
  );
}
