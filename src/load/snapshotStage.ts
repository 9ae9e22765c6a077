import { duckdbType } from '../core/columnType.ts';
import type { ParsedPage } from '../core/parseRecords.ts';
import { contentOf } from '../core/rowSet.ts';
import { literal, sameRow } from '../core/sqlText.ts';
import { type Partition, partitionKey } from '../core/stream.ts';
import type { Column, Table } from '../core/table.ts';
import { type Commit, type Committed, writeLoad } from './commit.ts';
import { notAccepted, resolveCorrected } from './quarantine.ts';
import { anyRow, unreadSql } from './recordKey.ts';
import type { Transaction } from './transaction.ts';
import type { Warehouse } from './warehouse.ts';

/** Where the pages of one snapshot gather until it is complete. */
export interface SnapshotStage {
  /** Puts a page's rows beside the ones already read. */
  add(page: ParsedPage): Promise<void>;
  /** Whether a table would be left with less than half of the partition's current rows, or with none. */
  shrinks(): Promise<boolean>;
  /** Whether it lacks a current row of the partition, other than one whose record could not be read. */
  lacks(): Promise<boolean>;
  /** How many current rows it lacks that stay, because nothing tells which of them a record is that could not be read. @param before as for `apply` */
  held(before?: SnapshotStage): Promise<number>;
  /** Whether it holds rows of the same keys as another stage of the stream, in every table. */
  hasKeysOf(other: SnapshotStage): Promise<boolean>;
  /**
   * Makes the snapshot the current one, in one transaction: rows that are new or changed begin, rows that changed or are
   * gone end. A record that could not be read is not gone: its rows stay, and all that are not listed where its key cannot be read either.
   * Only a complete read may be applied.
   *
   * @param before another read of the same list: what that one has is not gone
   */
  apply(commit: Commit, before?: SnapshotStage): Promise<Committed>;
  /** Names of its temporary tables, in the order of the stream's. */
  readonly tables: readonly string[];
  /** Records that could not be read, but for those of which nothing tells which they are, and which somebody accepted. */
  readonly unread: readonly string[];
  /** Forgets the pages. */
  drop(): Promise<void>;
}

let stages = 0;

/** Makes the temporary tables of a snapshot: one for the stream's table and one for each child. */
export async function createSnapshotStage(
  warehouse: Warehouse,
  stream: Commit['stream'],
  partition: Partition,
): Promise<SnapshotStage> {
  const number = ++stages;
  // Looked for once: a state may hold millions of loads, and each statement asks several times whose a row is.
  const loads = `temp.main.firn_stage_${number}_loads`;
  // Another partition, with other filters, may fill the same table.
  const isMine = `old._valid_to IS NULL AND old._load_id IN (FROM ${loads})`;
  const tables = new Map<string | null, Staged>();
  const targets: [string | null, Table][] = [[null, stream.table]];
  for (const [name, child] of Object.entries(stream.children)) targets.push([name, child.table]);
  for (const [name, table] of targets) {
    const columns = contentOf(table).filter(({ name }) => !name.startsWith('_valid_'));
    tables.set(name, { table, stage: `temp.main.firn_stage_${number}_${tables.size}`, columns });
  }
  // Pages that were rolled back are missing: the stage must not be used any more.
  const read = {};
  const write = <T>(work: (tx: Transaction) => Promise<T>, bytes = 0) => warehouse.write(read, bytes, work);
  const each = (sql: (staged: Staged) => string) => [...tables.values()].map(sql).join('; ');
  const ddl = ({ columns }: Staged) => columns.map(({ name, type }) => `"${name}" ${duckdbType(type)}`).join(', ');
  await write((tx) =>
    tx.run(`${each((staged) => `CREATE TEMP TABLE ${staged.stage} (${ddl(staged)})`)};
      CREATE TEMP TABLE ${loads} AS SELECT load_id FROM firn.load
      WHERE stream = ${literal(stream.id)} AND "partition" = ${literal(partitionKey(partition))}`),
  );

  const unread: string[] = [];
  const notRead = (before: SnapshotStage | undefined) => [...unread, ...(before?.unread ?? [])];
  return {
    async add({ set, quarantined }) {
      const records = quarantined.map(({ record }) => record);
      unread.push(...(await notAccepted(warehouse, { stream, partition }, records)));
      const staged = [...tables].flatMap(([name, { stage, columns }]) => {
        const rows = name === null ? set.own : set.children[name];
        return rows && rows.length > 0 ? [{ table: { name: stage, columns }, parts: [rows] }] : [];
      });
      await write((tx) => tx.insert(staged));
    },
    tables: [...tables.values()].map(({ stage }) => stage),
    unread,
    async shrinks() {
      const counts = [...tables.values()].map(
        ({ table, stage }) =>
          `SELECT (SELECT count(*) FROM ${table.name} AS old WHERE ${isMine}) AS "before",
             (SELECT count(*) FROM (SELECT DISTINCT ${keyOf(table)} FROM ${stage})) AS "now"`,
      );
      const { value } = await write((tx) => tx.query<{ before: bigint; now: bigint }>(counts.join(' UNION ALL ')));
      return value.some(({ before, now }) => before > 0n && now * 2n < before);
    },
    async lacks() {
      const looks = [...tables.values()].map((staged) => {
        const isUnread = unreadSql(stream, partition, staged.table, unread);
        return `EXISTS (SELECT 1 FROM ${staged.table.name} AS old WHERE ${isMine} AND NOT ${isListed(staged)} AND NOT (${isUnread}))`;
      });
      const { value } = await write((tx) => tx.query<{ lacks: boolean }>(`SELECT ${looks.join(' OR ')} AS lacks`));
      return value[0]?.lacks === true;
    },
    async held(before) {
      const own = tables.get(null);
      if (!own || unreadSql(stream, partition, own.table, notRead(before)) !== anyRow) return 0;
      const sql = `SELECT count(*) AS held FROM ${own.table.name} AS old WHERE ${isMine} AND ${isInNeither(own, before?.tables[0])}`;
      const { value } = await write((tx) => tx.query<{ held: bigint }>(sql));
      return Number(value[0]?.held);
    },
    async hasKeysOf(other) {
      const { value } = await write(async (tx) => {
        let index = 0;
        for (const { table, stage } of tables.values()) {
          const keys = (from: string | undefined) => `SELECT ${keyOf(table)} FROM ${from}`;
          const [mine, others] = [keys(stage), keys(other.tables[index++])];
          const differing = `(${mine} EXCEPT ${others}) UNION ALL (${others} EXCEPT ${mine})`;
          if ((await tx.query(`${differing} LIMIT 1`)).length > 0) return false;
        }
        return true;
      });
      return value;
    },
    async apply(commit, before) {
      const isUnread = (table: Table) => unreadSql(stream, partition, table, notRead(before));
      const apply = (tx: Transaction) =>
        writeLoad(tx, commit, async ({ loadId, isAwaiting }) => {
          const own = tables.get(null);
          const written = { rows: 0, childRows: 0 };
          const replacements = [...tables].map(([child, staged], i): Replacement => {
            return {
              ...staged,
              child,
              loadId,
              isMine,
              isGone: `${isInNeither(staged, before?.tables[i])} AND NOT (${isUnread(staged.table)})`,
              at: `make_timestamp(${commit.batch.fetchedAt * 1000})`,
            };
          });
          const differences = await tx.query<Differences>(replacements.map(differencesSql).join(' UNION ALL '));
          for (const replacement of replacements) {
            const found = differences.find(({ table }) => table === replacement.table.name) as Differences;
            const rows = await replaceCurrent(tx, replacement, found);
            written[replacement.child === null ? 'rows' : 'childRows'] += rows;
          }
          if (own && isAwaiting) await resolveCorrected(tx, commit, own.stage);
          return written;
        });
      const { value, durable } = await write(apply, commit.batch.bytes);
      await warehouse.commit();
      await durable;
      return value;
    },
    async drop() {
      await warehouse.write({}, 0, (tx) =>
        tx.run(`${each(({ stage }) => `DROP TABLE IF EXISTS ${stage}`)}; DROP TABLE IF EXISTS ${loads}`),
      );
    },
  };
}

/** A table of the stream, and where its rows gather. */
interface Staged {
  readonly table: Table;
  readonly stage: string;
  readonly columns: readonly Column[];
}

interface Replacement extends Staged {
  /** Null for the stream's own table. */
  readonly child: string | null;
  readonly loadId: number;
  /** What picks the current rows (`old`) of the partition. */
  readonly isMine: string;
  /** What picks those of them that end without a successor. */
  readonly isGone: string;
  /** When the snapshot was taken, in SQL. */
  readonly at: string;
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`);
const namesOf = (columns: readonly Column[] = []) => columns.map(({ name }) => name);
const keyOf = (table: Table) => quoted(table.key).join(', ');

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

/** Columns by what becomes of a row in which they change. */
function columnsOf({ table, columns }: Staged) {
  const volatile = new Set(namesOf(table.volatile?.columns));
  return {
    keys: table.key,
    lasting: namesOf(columns).filter((name) => !volatile.has(name)),
    moving: namesOf(table.volatile?.columns),
  };
}

const isListed = ({ table, stage }: Pick<Staged, 'table' | 'stage'>) =>
  `EXISTS (SELECT 1 FROM ${stage} AS new WHERE ${sameRow('new', 'old', table.key)})`;

/** Neither here nor in the stage of the read before. */
const isInNeither = (staged: Staged, before: string | undefined) =>
  [staged, ...(before === undefined ? [] : [{ ...staged, stage: before }])]
    .map((one) => `NOT ${isListed(one)}`)
    .join(' AND ');

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

/**
 * Makes the staged rows the current ones of their partition.
 *
 * @returns rows that began, ended without a successor, or changed in volatile columns alone
 */
async function replaceCurrent(tx: Transaction, replacement: Replacement, differences: Differences): Promise<number> {
  const { table, stage, columns, loadId, isMine, isGone, at } = replacement;
  const { keys, lasting, moving } = columnsOf(replacement);
  const names = quoted(namesOf(columns)).join(', ');
  const key = keyOf(table);
  const gone = Number(differences.gone);
  // A row may stand on two pages of a list that changes while it is read: the later one counts.
  const fresh = `(SELECT DISTINCT ON (${key}) ${names} FROM ${stage} ORDER BY ${key}, rowid DESC)`;
  if (gone > 0 || differences.changed > 0) {
    await tx.run(
      `UPDATE ${table.name} AS old SET _valid_to = greatest(${at}, old._valid_from)
       WHERE ${isMine} AND old.rowid NOT IN (
         SELECT old.rowid FROM ${table.name} AS old SEMI JOIN ${fresh} AS new ON ${sameRow('new', 'old', lasting)} WHERE ${isMine}
       ) AND (${isListed(replacement)} OR ${isGone})`,
    );
  }
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
      `UPDATE ${table.name} AS old SET ${quoted(moving)
        .map((name) => `${name} = new.${name}`)
        .join(', ')}, _load_id = ${loadId}
       FROM ${fresh} AS new WHERE ${isMine} AND ${sameRow('new', 'old', keys)} AND NOT (${sameRow('new', 'old', moving)})`,
    ));
  if (table.volatile && differences.ofDay > 0) await keepDay(tx, table.volatile.daily, fresh, replacement);
  return gone + (begun || 0) + (moved || 0);
}

/** Records the values just seen as the last ones of their day. */
async function keepDay(tx: Transaction, daily: Table, fresh: string, replacement: Replacement): Promise<void> {
  const { at, loadId } = replacement;
  const { keys, moving } = columnsOf(replacement);
  const sameDay = `${isDay(at)} AND ${sameRow('new', 'old', keys)}`;
  await tx.run(
    `DELETE FROM ${daily.name} AS old USING ${fresh} AS new WHERE ${sameDay} AND NOT (${sameRow('new', 'old', moving)});
     INSERT INTO ${daily.name} (${quoted([...keys, 'day', ...moving]).join(', ')}, _load_id)
     SELECT ${[...quoted(keys), `date_trunc('day', ${at})`, ...quoted(moving)].join(', ')}, ${loadId} FROM ${fresh} AS new
     WHERE NOT EXISTS (SELECT 1 FROM ${daily.name} AS old WHERE ${sameDay}) ORDER BY ${quoted(keys).join(', ')}`,
  );
}
