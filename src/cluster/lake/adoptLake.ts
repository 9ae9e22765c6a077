import type { Row } from '../../core/columns/columnType.ts';
import { ownColumn, type Table } from '../../core/columns/table.ts';
import type { Declared } from '../../core/stream/stream.ts';
import { adoptedFrom, knownBy } from '../../load/adopt/adoptMembers.ts';
import type { LakeTable, Ledger } from '../contract.ts';
import { againName, filledTables, keptName } from '../engine/lakeTable.ts';
import { asParquet } from '../stage/asParquet.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { type Carrier, stageRows } from './ownTables.ts';

/** Rows that are looked at together: each time is a commit of the table. */
const usualRows = 200_000;

/** A table in the stage has `firn_batch` and `firn_row` of its own. */
const keys = ['old_batch', 'old_row'].map((name) => ownColumn(name, 'bigint'));

/** What rows of a lake are moved with. */
export interface AdoptingLake extends Omit<Carrier, 'ledger'> {
  readonly ledger: Pick<Ledger, 'nextBatch' | 'pendingTables'>;
  readonly tables: readonly LakeTable[];
}

/**
 * Moves members that the schemas know by now from `_extra` into their columns, as `adoptMembers` does on one machine, and strikes them from the
 * ledger. Its tables have all columns already. After a kill the rest follows with the next call; of tables of which rows wait to be applied, too.
 */
export async function adoptLake(
  lake: AdoptingLake,
  declared: readonly Pick<Declared, 'id' | 'table' | 'children'>[],
  atOnce = usualRows,
): Promise<void> {
  const { control, engine, ledger, tables } = lake;
  const known = knownBy(declared, await control.query('SELECT stream, member FROM firn.schema_change'));
  if (known.length === 0) return;
  const isHeld = await heldRelations(engine);
  const waiting = new Set(await ledger.pendingTables());
  for (const table of new Set(known.map((one) => one.table))) {
    for (const one of filledTables([tables.find(({ name }) => name === table.name) ?? table])) {
      if (!isHeld(keptName(one))) continue;
      for (let after: Key | undefined = { old_batch: -1n, old_row: -1n }; after; )
        after = await adoptNext(lake, table, engine.name(keptName(one)), after, atOnce);
    }
  }
  for (const { stream, member, table } of known)
    if (![table.name, againName(table.name)].some((name) => waiting.has(name)))
      await control.query('DELETE FROM firn.schema_change WHERE stream = $1 AND member = $2', [stream, member]);
}

interface Key extends Row {
  readonly old_batch: bigint;
  readonly old_row: bigint;
}

/** Moves what the next rows have. Gives the last of them, or nothing where they were the last of all. */
async function adoptNext(
  lake: AdoptingLake,
  table: Table,
  kept: string,
  after: Key,
  atOnce: number,
): Promise<Key | undefined> {
  const { workbench, engine, stage } = lake;
  const { old_batch: batch, old_row: row } = after;
  const read = await engine.query<Key & { _extra: string }>(
    `SELECT firn_batch AS old_batch, firn_row AS old_row, _extra FROM ${kept} WHERE _extra IS NOT NULL AND (firn_batch > ${batch} OR (firn_batch = ${batch} AND firn_row > ${row}))
     ORDER BY firn_batch, firn_row LIMIT ${atOnce}`,
  );
  const adopted = adoptedFrom(table, keys, read);
  if (adopted) {
    const { columns, rows, set } = adopted;
    const name = 'firn.adopted';
    await workbench.transaction((tx) =>
      tx.offer(columns, [rows], (from) => tx.run(`CREATE OR REPLACE TABLE ${name} AS SELECT * FROM ${from}`)),
    );
    const file = await stageRows(lake, { name }, `SELECT ${columns.map(asParquet).join(', ')} FROM ${name}`);
    await workbench.run(`DROP TABLE ${name}`);
    // A call that was killed may have left one with other columns.
    await engine.drop(name);
    await engine.replace({ name, columns }, [file]);
    await engine.run(
      `MERGE INTO ${kept} AS old USING ${engine.name(name)} AS new ON old.firn_batch = new.old_batch AND old.firn_row = new.old_row WHEN MATCHED THEN UPDATE SET ${set}`,
    );
    await engine.drop(name);
    await stage.remove([file.uri]);
  }
  return read.length < atOnce ? undefined : read.at(-1);
}
