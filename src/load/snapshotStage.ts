import { duckdbType } from '../core/columnType.ts';
import type { ParsedPage } from '../core/parseRecords.ts';
import { contentOf } from '../core/rowSet.ts';
import { partitionKey } from '../core/stream.ts';
import type { Column, Table } from '../core/table.ts';
import { type Commit, type Committed, writeLoad } from './commit.ts';
import { resolveCorrected } from './quarantine.ts';
import type { Transaction } from './transaction.ts';
import type { Warehouse } from './warehouse.ts';

/** Where the pages of one snapshot gather until it is complete. */
export interface SnapshotStage {
  /** Puts a page's rows beside the ones already read. */
  add(page: ParsedPage): Promise<void>;
  /** Whether a table would be left with less than half of the partition's current rows, or with none. */
  shrinks(partition: string): Promise<boolean>;
  /** Whether it holds rows of the same keys as another stage of the stream, in every table. */
  hasKeysOf(other: SnapshotStage): Promise<boolean>;
  /**
   * Makes the snapshot the current one, in one transaction: rows that are new or changed begin, rows that changed or are
   * gone end. Only a complete read may be applied.
   *
   * @param closesGone whether rows end whose keys the snapshot does not have
   */
  apply(commit: Commit, closesGone?: boolean): Promise<Committed>;
  /** Names of its temporary tables, in the order of the stream's. */
  readonly tables: readonly string[];
  /** Forgets the pages. */
  drop(): Promise<void>;
}

let stages = 0;

/** Makes the temporary tables of a snapshot: one for the stream's table and one for each child. */
export async function createSnapshotStage(warehouse: Warehouse, stream: Commit['stream']): Promise<SnapshotStage> {
  const number = ++stages;
  const tables = new Map<string | null, { table: Table; stage: string; columns: readonly Column[] }>();
  const targets: [string | null, Table][] = [[null, stream.table]];
  for (const [name, child] of Object.entries(stream.children)) targets.push([name, child.table]);
  for (const [name, table] of targets) {
    const columns = contentOf(table).filter(({ name }) => !name.startsWith('_valid_'));
    tables.set(name, { table, stage: `temp.main.firn_stage_${number}_${tables.size}`, columns });
  }
  // Pages that were rolled back are missing: the stage must not be used any more.
  const read = {};
  const write = <T>(work: (tx: Transaction) => Promise<T>, bytes = 0) => warehouse.write(read, bytes, work);
  await write(async (tx) => {
    for (const { stage, columns } of tables.values()) {
      const ddl = columns.map((column) => `"${column.name}" ${duckdbType(column.type)}`).join(', ');
      await tx.run(`CREATE TEMP TABLE ${stage} (${ddl})`);
    }
  });

  return {
    async add({ set }) {
      await write(async (tx) => {
        for (const [name, { stage, columns }] of tables) {
          const rows = name === null ? set.own : set.children[name];
          if (rows && rows.length > 0) await tx.insert([{ table: { name: stage, columns }, parts: [rows] }]);
        }
      });
    },
    tables: [...tables.values()].map(({ stage }) => stage),
    async shrinks(partition) {
      const { value } = await write(async (tx) => {
        for (const { table, stage } of tables.values()) {
          const [count] = await tx.query<{ before: bigint; now: bigint }>(
            `SELECT (SELECT count(*) FROM ${table.name} AS old WHERE ${isMine}) AS "before",
               (SELECT count(*) FROM (SELECT DISTINCT ${keyOf(table)} FROM ${stage})) AS "now"`,
            [stream.id, partition],
          );
          if (count && count.before > 0n && count.now * 2n < count.before) return true;
        }
        return false;
      });
      return value;
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
    async apply(commit, closesGone = true) {
      const apply = (tx: Transaction) =>
        writeLoad(tx, commit, async ({ loadId, isAwaiting }) => {
          const own = tables.get(null);
          if (own && isAwaiting) await resolveCorrected(tx, commit, own.stage);
          const written = { rows: 0, childRows: 0 };
          for (const [child, { table, stage, columns }] of tables) {
            written[child === null ? 'rows' : 'childRows'] += await replaceCurrent(tx, {
              table,
              stage,
              columns,
              loadId,
              commit,
              closesGone,
            });
          }
          return written;
        });
      const { value, durable } = await write(apply, commit.batch.bytes);
      await warehouse.commit();
      await durable;
      return value;
    },
    async drop() {
      await warehouse.write({}, 0, async (tx) => {
        for (const { stage } of tables.values()) await tx.run(`DROP TABLE IF EXISTS ${stage}`);
      });
    },
  };
}

interface Replacement {
  readonly table: Table;
  readonly stage: string;
  readonly columns: readonly Column[];
  readonly loadId: number;
  readonly commit: Commit;
  readonly closesGone: boolean;
}

/** The current rows (`old`) of one partition ($2) of one stream ($1): another one with other filters may fill the same table. */
const isMine = `old._valid_to IS NULL AND old._load_id IN (SELECT load_id FROM firn.load WHERE stream = $1 AND "partition" = $2)`;
const keyOf = (table: Table) => table.key.map((name) => `"${name}"`).join(', ');

/**
 * Makes the staged rows the current ones of their partition.
 *
 * @returns rows that began, ended without a successor, or changed in volatile columns alone
 */
async function replaceCurrent(
  tx: Transaction,
  { table, stage, columns, loadId, commit, closesGone }: Replacement,
): Promise<number> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const key = keyOf(table);
  const volatile = new Set(table.volatile?.columns.map(({ name }) => name));
  const lasting = columns.filter(({ name }) => !volatile.has(name)).map(({ name }) => `"${name}"`);
  const at = `make_timestamp(${commit.batch.fetchedAt * 1000})`;
  const who = [commit.stream.id, partitionKey(commit.partition)];
  // A row may stand on two pages of a list that grows while it is read: one of them counts.
  const fresh = `(SELECT DISTINCT ON (${key}) ${names} FROM ${stage} ORDER BY ${key})`;
  const same = (a: string, b: string, of: readonly string[]) =>
    of.map((name) => `${a}.${name} IS NOT DISTINCT FROM ${b}.${name}`).join(' AND ');
  const keys = table.key.map((name) => `"${name}"`);
  const isListed = `EXISTS (SELECT 1 FROM ${stage} AS new WHERE ${same('new', 'old', keys)})`;
  const [unlisted] = closesGone
    ? await tx.query<{ n: bigint }>(
        `SELECT count(*) AS n FROM ${table.name} AS old WHERE ${isMine} AND NOT ${isListed}`,
        who,
      )
    : [];
  const gone = Number(unlisted?.n ?? 0n);
  await tx.run(
    `UPDATE ${table.name} AS old SET _valid_to = greatest(${at}, old._valid_from)
     WHERE ${isMine} AND NOT EXISTS (SELECT 1 FROM ${fresh} AS new WHERE ${same('new', 'old', lasting)})${closesGone ? '' : ` AND ${isListed}`}`,
    who,
  );
  // Where the clock was set back, a row begins when the one before it ended.
  const ended = `(SELECT ${key}, max(_valid_to) AS _ended FROM ${table.name} WHERE _valid_to > ${at} GROUP BY ${key})`;
  const begun = await tx.run(
    `INSERT INTO ${table.name} (${names}, _load_id, _valid_from)
     SELECT new.*, ${loadId}, coalesce((SELECT _ended FROM ${ended} AS e WHERE ${same('new', 'e', keys)}), ${at}) FROM ${fresh} AS new
     WHERE NOT EXISTS (SELECT 1 FROM ${table.name} AS old WHERE ${isMine} AND ${same('new', 'old', keys)})
     ORDER BY ${key}`,
    who,
  );
  if (!table.volatile) return begun + gone;
  const moving = table.volatile.columns.map(({ name }) => `"${name}"`);
  const moved = await tx.run(
    `UPDATE ${table.name} AS old SET ${moving.map((name) => `${name} = new.${name}`).join(', ')}, _load_id = ${loadId}
     FROM ${fresh} AS new WHERE ${isMine} AND ${same('new', 'old', keys)} AND NOT (${same('new', 'old', moving)})`,
    who,
  );
  await keepDay(tx, table.volatile.daily, { fresh, keys, moving, at, loadId, same });
  return begun + gone + moved;
}

interface Day {
  readonly fresh: string;
  readonly keys: readonly string[];
  readonly moving: readonly string[];
  readonly at: string;
  readonly loadId: number;
  readonly same: (a: string, b: string, of: readonly string[]) => string;
}

/** Records the values just seen as the last ones of their day. */
async function keepDay(tx: Transaction, daily: Table, { fresh, keys, moving, at, loadId, same }: Day): Promise<void> {
  const day = `date_trunc('day', ${at})`;
  const sameDay = `old."day" = ${day} AND ${same('new', 'old', keys)}`;
  await tx.run(
    `DELETE FROM ${daily.name} AS old USING ${fresh} AS new WHERE ${sameDay} AND NOT (${same('new', 'old', moving)})`,
  );
  await tx.run(
    `INSERT INTO ${daily.name} (${[...keys, '"day"', ...moving].join(', ')}, _load_id)
     SELECT ${[...keys, day, ...moving].join(', ')}, ${loadId} FROM ${fresh} AS new
     WHERE NOT EXISTS (SELECT 1 FROM ${daily.name} AS old WHERE ${sameDay}) ORDER BY ${keys.join(', ')}`,
  );
}
