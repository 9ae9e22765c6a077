import { duckdbType } from '../core/columnType.ts';
import type { ParsedPage } from '../core/parseRecords.ts';
import { contentOf } from '../core/rowSet.ts';
import type { Rows } from '../core/rows.ts';
import { partitionKey } from '../core/stream.ts';
import type { Column, Table } from '../core/table.ts';
import { type Commit, type Committed, loadTransaction } from './commit.ts';
import type { Warehouse } from './warehouse.ts';

/** Where the pages of one snapshot gather until it is complete. */
export interface SnapshotStage {
  /** Puts a page's rows beside the ones already read. */
  add(page: ParsedPage): Promise<void>;
  /**
   * Makes the snapshot the current one, in one transaction: rows that are new or changed begin, rows that changed or are
   * gone end. Only a complete read may be applied.
   */
  apply(commit: Commit): Promise<Committed>;
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
    const columns = contentOf(table);
    const stage = `temp.main.firn_stage_${number}_${tables.size}`;
    const ddl = columns.map((column) => `"${column.name}" ${duckdbType(column.type)}`).join(', ');
    await warehouse.exclusive(() => warehouse.run(`CREATE TEMP TABLE ${stage} (${ddl})`));
    tables.set(name, { table, stage, columns });
  }

  const insert = async (name: string | null, rows: Rows) => {
    const target = tables.get(name);
    if (!target || rows.length === 0) return;
    const offered = warehouse.scanner.offer(target.columns, [rows]);
    try {
      await warehouse.exclusive(() => warehouse.run(`INSERT INTO ${target.stage} SELECT * FROM ${offered.from}`));
    } finally {
      offered.release();
    }
  };

  return {
    async add({ set }) {
      await insert(null, set.own);
      for (const [name, rows] of Object.entries(set.children)) await insert(name, rows);
      warehouse.scanner.forget();
    },
    apply: (commit) =>
      loadTransaction(warehouse, commit, async (loadId) => {
        let written = 0;
        for (const { table, stage, columns } of tables.values()) {
          written += await replaceCurrent(warehouse, { table, stage, columns, loadId, commit });
        }
        return written;
      }),
    async drop() {
      for (const { stage } of tables.values()) {
        await warehouse.exclusive(() => warehouse.run(`DROP TABLE IF EXISTS ${stage}`));
      }
    },
  };
}

interface Replacement {
  readonly table: Table;
  readonly stage: string;
  readonly columns: readonly Column[];
  readonly loadId: number;
  readonly commit: Commit;
}

async function replaceCurrent(
  warehouse: Warehouse,
  { table, stage, columns, loadId, commit }: Replacement,
): Promise<number> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const key = table.key.map((name) => `"${name}"`).join(', ');
  const at = `make_timestamp(${commit.batch.fetchedAt * 1000})`;
  // The rows of this very partition: another one with other filters may fill the same table.
  const mine = `_valid_to IS NULL AND _load_id IN (SELECT load_id FROM firn.load WHERE stream = $1 AND "partition" = $2)`;
  const who = [commit.stream.id, partitionKey(commit.partition)];
  // A row may stand on two pages of a list that grows while it is read: one of them counts.
  const fresh = `SELECT DISTINCT ON (${key}) ${names} FROM ${stage} ORDER BY ${key}`;
  const same = table.key.map((name) => `old."${name}" IS NOT DISTINCT FROM gone."${name}"`).join(' AND ');
  await warehouse.run(
    `UPDATE ${table.name} AS old SET _valid_to = ${at}
     FROM (SELECT ${names} FROM ${table.name} WHERE ${mine} EXCEPT (${fresh})) AS gone
     WHERE ${same} AND old._valid_to IS NULL
       AND old._load_id IN (SELECT load_id FROM firn.load WHERE stream = $1 AND "partition" = $2)`,
    who,
  );
  const [before] = await warehouse.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${table.name}`);
  await warehouse.run(
    `INSERT INTO ${table.name} (${names}, _load_id, _valid_from)
     SELECT *, ${loadId}, ${at} FROM ((${fresh}) EXCEPT SELECT ${names} FROM ${table.name} WHERE ${mine})
     ORDER BY ${key}`,
    who,
  );
  const [after] = await warehouse.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${table.name}`);
  return Number((after?.n ?? 0n) - (before?.n ?? 0n));
}
