import { holdsTimes } from '../../core/columns/holdsTimes.ts';
import type { Table } from '../../core/columns/table.ts';
import { sameRow } from '../../core/text/sqlText.ts';
import type { Transaction } from '../database/transaction.ts';
import { ofLoad, type ReadyWrite, sameContent, type Withdrawn, withRows } from './writeRows.ts';

/** Values of a stream that are to be kept: the rows of its batch, with the time of their answer. */
export interface Revisions {
  readonly table: Table;
  readonly current: Table;
  readonly fetchedAt: number;
  /** Whether the rows come from an older answer whose time is not known: these agree with nothing. */
  readonly isReplayed: boolean;
  /** Whether they are all records of one page, which leaves out nothing between them: others may come in between. */
  readonly isWholePage: boolean;
}

/** How far apart answers must be for the later one to count as another: what a service gives is often kept for hours. */
const apart = 'INTERVAL 24 HOUR';

/** What came of keeping values. */
interface Kept {
  /** Whether there is anything to write: a row that is new, or differs from the one that is there. */
  readonly isNews: boolean;
  /** How many were kept again. */
  readonly again: number;
  readonly withdrawn?: Withdrawn | undefined;
}

/**
 * Keeps values that differ from the current ones, or are new, with the time of their answer. The same value is kept again where an
 * answer a day later still has it: by the clock, which may have jumped, and by the newest row that the source had by then, of those not dated ahead of it.
 * A row that an answer with later ones, not dated ahead of it, leaves out is marked as withdrawn, until an answer has it again.
 */
export async function writeRevisions(
  tx: Transaction,
  own: ReadyWrite,
  { table, current, fetchedAt, isReplayed, isWholePage }: Revisions,
  loadId: number,
): Promise<Kept> {
  const at: Record<string, string> = { fetched_at: `make_timestamp(${fetchedAt * 1000})`, ...ofLoad(loadId) };
  const columns = table.columns.map(({ name }) => `${at[name] ?? `new."${name}"`} AS "${name}"`).join(', ');
  const compared = table.columns.map(({ name }) => name).filter((name) => !(name in at) && !name.startsWith('_'));
  const equal = sameRow('old', 'new', compared);
  const time = holdsTimes(table, current.range) ? current.range : undefined;
  return withRows(tx, own, async (from) => {
    const same = `${from} AS new JOIN (
      FROM ${table.name} AS old WHERE ${own.range}
      QUALIFY row_number() OVER (PARTITION BY ${current.key.map((name) => `"${name}"`).join(', ')} ORDER BY _load_id DESC) = 1
    ) AS old ON ${equal} AND old.fetched_at + ${apart} <= ${at['fetched_at']}`;
    const there = `(FROM ${current.name} AS old WHERE ${own.range})`;
    const newest = `(SELECT max("${time}") FROM ${from} WHERE "${time}" <= ${at['fetched_at']})`;
    const leftOut = `${own.range} AND "${time}" <= ${newest} AND withdrawn IS NULL AND NOT EXISTS (FROM ${from} AS new WHERE ${sameRow('old', 'new', current.key)})`;
    const tells = time !== undefined && !isReplayed;
    // Most batches come within a day and bring nothing new: nothing is written for them.
    const looks = [
      `(SELECT 'news' AS found, NULL AS "rows", NULL AS "first" FROM ${from} AS new ANTI JOIN ${there} AS old ON ${sameContent(current)} LIMIT 1)`,
      tells && `(SELECT 'again', NULL, NULL FROM ${same} LIMIT 1)`,
      tells &&
        isWholePage &&
        `SELECT 'withdrawn', count(*), CAST(min("${time}") AS VARCHAR) FROM ${current.name} AS old WHERE ${leftOut} HAVING count(*) > 0`,
    ];
    const rows = await tx.query<{ found: string; rows: bigint | null; first: string | null }>(
      looks.filter(Boolean).join(' UNION ALL '),
    );
    const found = new Map(rows.map((row) => [row.found, row]));
    const lacked = found.get('withdrawn');
    const withdrawn = lacked && { rows: Number(lacked.rows), first: lacked.first ?? '' };
    if (withdrawn)
      await tx.run(
        `UPDATE ${current.name} AS old SET withdrawn = true, _load_id = ${at['_load_id']} WHERE ${leftOut};
         INSERT INTO ${table.name} BY NAME SELECT ${columns} FROM ${current.name} AS new WHERE withdrawn AND _load_id = ${at['_load_id']}`,
      );
    const isNews = own.rewrite === true || found.has('news');
    if (isNews)
      await tx.run(
        `INSERT INTO ${table.name} BY NAME SELECT ${columns} FROM ${from} AS new ANTI JOIN ${there} AS old ON ${equal}`,
      );
    if (!found.has('again')) return { isNews, again: 0, withdrawn };
    const again = await tx.run(
      `INSERT INTO ${table.name} BY NAME
       WITH moment AS (SELECT _load_id, max(max("${time}") FILTER ("${time}" <= fetched_at)) OVER (ORDER BY _load_id) AS newest FROM ${table.name} GROUP BY _load_id)
       SELECT ${columns} FROM ${same} JOIN moment ON moment._load_id = old._load_id
       WHERE moment.newest + ${apart} <= (SELECT max(newest) FROM moment)`,
    );
    return { isNews, again, withdrawn };
  });
}
