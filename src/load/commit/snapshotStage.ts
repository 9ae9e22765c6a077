import { duckdbType } from '../../core/columns/columnType.ts';
import type { ParsedPage } from '../../core/parse/parseRecords.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import { ofPartition } from '../../core/text/sqlText.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';
import type { Commit } from './batch.ts';
import { type Committed, writeLoad } from './commit.ts';
import { notAccepted, resolveCorrected } from './quarantine.ts';
import { anyRow, unreadSql } from './recordKey.ts';
import { replaceCurrent } from './replaceCurrent.ts';
import { isInNeither, isListed, keyOf, type Staged, stagedTables } from './staged.ts';

let stages = 0;

/** Makes the temporary tables of a snapshot: one for the stream's table and one for each child. */
export async function createSnapshotStage(
  warehouse: Warehouse,
  stream: Commit['stream'],
  partition: Partition,
): Promise<SnapshotStage> {
  const stage = new SnapshotStage(warehouse, stream, partition);
  await stage.make();
  return stage;
}

/** Where the pages of one snapshot gather until it is complete. */
export class SnapshotStage {
  readonly tables: ReturnType<typeof stagedTables>;
  /** Records that could not be read, but for those of which nothing tells which they are, and which somebody accepted. */
  readonly unread: string[] = [];
  readonly #warehouse: Warehouse;
  readonly #stream: Commit['stream'];
  readonly #partition: Partition;
  readonly #loads: string;
  /** What picks the current rows (`old`) of the partition: another one, with other filters, may fill the same table. */
  readonly #isMine: string;
  /** Pages that were rolled back are missing: the stage must not be used any more. */
  readonly #read = {};

  constructor(warehouse: Warehouse, stream: Commit['stream'], partition: Partition) {
    const prefix = `temp.main.firn_stage_${++stages}`;
    this.#warehouse = warehouse;
    this.#stream = stream;
    this.#partition = partition;
    this.tables = stagedTables(stream, prefix);
    this.#loads = `${prefix}_loads`;
    this.#isMine = `old._valid_to IS NULL AND old._load_id IN (FROM ${this.#loads})`;
  }

  /** Makes its temporary tables. */
  async make(): Promise<void> {
    const tables = this.tables.map(({ stage, columns }) => {
      const list = columns.map(({ name, type }) => `"${name}" ${duckdbType(type)}`).join(', ');
      return `CREATE TEMP TABLE ${stage} (${list})`;
    });
    // Looked for once: a state may hold millions of loads, and each statement asks several times whose a row is.
    await this.#write((tx) =>
      tx.run(`${tables.join('; ')};
      CREATE TEMP TABLE ${this.#loads} AS SELECT load_id FROM firn.load
      WHERE ${ofPartition(this.#stream.id, partitionKey(this.#partition))}`),
    );
  }

  /** Puts a page's rows beside the ones already read. */
  async add({ set, quarantined }: ParsedPage): Promise<void> {
    const of = { stream: this.#stream, partition: this.#partition };
    const records = quarantined.map(({ record }) => record);
    this.unread.push(...(await notAccepted(this.#warehouse, of, records)));
    const staged = this.tables.flatMap(({ child, stage, columns }) => {
      const rows = child === null ? set.own : set.children[child];
      return rows && rows.length > 0 ? [{ table: { name: stage, columns }, parts: [rows] }] : [];
    });
    await this.#write((tx) => tx.insert(staged));
  }

  /** Whether a table would be left with less than half of the partition's current rows, or with none. */
  async shrinks(): Promise<boolean> {
    const counts = this.tables.map(
      ({ table, stage }) =>
        `SELECT (SELECT count(*) FROM ${table.name} AS old WHERE ${this.#isMine}) AS "before",
             (SELECT count(*) FROM (SELECT DISTINCT ${keyOf(table)} FROM ${stage})) AS "now"`,
    );
    const rows = await this.#query<{ before: bigint; now: bigint }>(counts.join(' UNION ALL '));
    return rows.some(({ before, now }) => now * 2n < before);
  }

  /** Whether it lacks a current row of the partition, other than one whose record could not be read. */
  async lacks(): Promise<boolean> {
    const looks = this.tables.map(
      (staged) =>
        `EXISTS (SELECT 1 FROM ${staged.table.name} AS old WHERE ${this.#isMine} AND NOT ${isListed(staged)} AND NOT (${this.#isUnread(staged)}))`,
    );
    const [row] = await this.#query<{ lacks: boolean }>(`SELECT ${looks.join(' OR ')} AS lacks`);
    return row?.lacks === true;
  }

  /** How many current rows it lacks that stay, because nothing tells which of them a record is that could not be read. @param before as for `apply` */
  async held(before?: SnapshotStage): Promise<number> {
    const [own] = this.tables;
    if (this.#isUnread(own, before) !== anyRow) return 0;
    const [row] = await this.#query<{ held: bigint }>(
      `SELECT count(*) AS held FROM ${own.table.name} AS old WHERE ${this.#isMine} AND ${isInNeither(own, before?.tables[0])}`,
    );
    return Number(row?.held);
  }

  /** Whether it holds rows of the same keys as another stage of the stream, in every table. */
  async hasKeysOf(other: SnapshotStage): Promise<boolean> {
    const { value } = await this.#write(async (tx) => {
      for (const [i, { table, stage }] of this.tables.entries()) {
        const keys = (from: string | undefined) => `SELECT ${keyOf(table)} FROM ${from}`;
        const [mine, others] = [keys(stage), keys(other.tables[i]?.stage)];
        const differing = `(${mine} EXCEPT ${others}) UNION ALL (${others} EXCEPT ${mine})`;
        if ((await tx.query(`${differing} LIMIT 1`)).length > 0) return false;
      }
      return true;
    });
    return value;
  }

  /**
   * Makes the snapshot the current one, in one transaction: rows that are new or changed begin, rows that changed or are
   * gone end. A record that could not be read is not gone: its rows stay, and all that are not listed where its key cannot be read either.
   * Only a complete read may be applied.
   *
   * @param before another read of the same list: what that one has is not gone
   */
  async apply(commit: Commit, before?: SnapshotStage): Promise<Committed> {
    const at = `make_timestamp(${commit.batch.fetchedAt * 1000})`;
    const apply = (tx: Transaction) =>
      writeLoad(tx, commit, async ({ loadId, isAwaiting }) => {
        const replacements = this.tables.map((staged, i) => {
          const isGone = `${isInNeither(staged, before?.tables[i])} AND NOT (${this.#isUnread(staged, before)})`;
          return { ...staged, loadId, isMine: this.#isMine, isGone, at };
        });
        const written = await replaceCurrent(tx, replacements);
        if (isAwaiting) await resolveCorrected(tx, commit, this.tables[0].stage);
        return written;
      });
    const { value, durable } = await this.#write(apply, commit.batch.bytes);
    await this.#warehouse.commit();
    await durable;
    return value;
  }

  /** Forgets the pages. */
  async drop(): Promise<void> {
    const names = [...this.tables.map(({ stage }) => stage), this.#loads];
    await this.#warehouse.write({}, 0, (tx) => tx.run(names.map((name) => `DROP TABLE IF EXISTS ${name}`).join('; ')));
  }

  #write<T>(work: (tx: Transaction) => Promise<T>, bytes = 0) {
    return this.#warehouse.write(this.#read, bytes, work);
  }

  async #query<R extends object = Record<string, unknown>>(sql: string): Promise<R[]> {
    return (await this.#write((tx) => tx.query<R>(sql))).value;
  }

  /** What picks rows of records that could not be read. */
  #isUnread({ table }: Staged, before?: SnapshotStage): string {
    return unreadSql(this.#stream, this.#partition, table, [...this.unread, ...(before?.unread ?? [])]);
  }
}
