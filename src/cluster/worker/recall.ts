import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../core/columns/table.ts';
import { checkpointKeyOf } from '../../core/stream/checkpointKey.ts';
import type { Position } from '../../core/stream/partition.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { adoptIn } from '../../load/adopt/adoptMembers.ts';
import { noteCheckpoint } from '../../load/commit/checkpoints.ts';
import type { Transaction } from '../../load/database/transaction.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { insertJson } from '../insertJson.ts';
import type { StagedRead } from './sendBatch.ts';

/**
 * Makes a scratch database hold of a partition what one machine would know of it: where it stands, the rows it compares with, the
 * records that wait in quarantine, the members that were noted, what was dropped because of its age, and the keys that a lookup still has doubts
 * about. What other leases left goes.
 */
export async function recall(
  scratch: Warehouse,
  { stream, lease, ledger, stage, ...read }: Omit<StagedRead, 'partition' | 'replacing'>,
): Promise<void> {
  const waiting = read.waiting ?? (await ledger.waiting(lease));
  const newest = waiting.length > 0 ? await ledger.newestLoad(lease) : null;
  const known = await ledger.knownMembers(lease);
  const lookedUp = stream.way === 'lookup' ? await ledger.lookedUp(lease) : [];
  const tables = tablesOf([stream]);
  const dropped = await ledger.dropped(tables.map(({ name }) => name));
  const files: { readonly table: Table; readonly path: string }[] = [];
  try {
    for (const file of lease.memory) {
      const table = tables.find(({ name }) => name === file.table);
      // Another version may have filled it.
      if (!table) continue;
      const path = join(scratch.folder, `recalled-${file.table}.parquet`);
      files.push({ table, path });
      await stage.fetch(file, path);
    }
    await scratch.transaction(async (tx) => {
      const notes = ['checkpoint', 'load', 'quarantine', 'schema_change', 'gap', 'lookup', 'dropped'];
      const kept = notes.map((name) => `firn.${name}`);
      await tx.run([...tables.map(({ name }) => name), ...kept].map((table) => `DELETE FROM ${table}`).join(';\n'));
      const of = [lease.stream, lease.partition].map(literal).join(', ');
      const { beside } = lease;
      const stands: [key: string, at: Position | null][] = beside
        ? [
            [lease.partition, beside.main],
            [checkpointKeyOf(lease.partition, beside.name), lease.cursor],
          ]
        : [[lease.partition, lease.cursor]];
      for (const [key, at] of stands) if (at !== null) await tx.run(noteCheckpoint(lease.stream, key, at));
      for (const { table, path } of files) {
        await takeRows(tx, table, path);
        await adoptIn(tx, table);
        // Rows are the partition's by the loads that wrote them.
        await tx.run(loadSql(`SELECT DISTINCT _load_id FROM ${table.name}`, of));
      }
      // Of records that wait: whether the list was read since without them.
      if (newest !== null) await tx.run(loadSql(`SELECT ${newest} AS _load_id`, of, `'read'`));
      // The ledger adds up how often a record was seen.
      const unseen = waiting.map((entry) => ({ ...entry, times_seen: 0 }));
      await insertJson(tx, 'firn.quarantine', JSON.stringify(unseen));
      await insertJson(tx, 'firn.schema_change', JSON.stringify(known));
      await insertJson(tx, 'firn.lookup', JSON.stringify(lookedUp));
      await insertJson(tx, 'firn.dropped', JSON.stringify(dropped));
    });
  } finally {
    for (const { path } of files) await rm(path, { force: true });
  }
}

/** Puts the rows of a file into a table. Other versions, or streams as somebody wrote them before, had other columns: those that are new are NULL, as on one machine. */
async function takeRows(tx: Transaction, { name, columns }: Table, path: string): Promise<void> {
  const from = `read_parquet(${literal(path)})`;
  const held = new Set(
    (await tx.query<{ column_name: string }>(`DESCRIBE FROM ${from}`)).map((one) => one.column_name),
  );
  const own = columns.filter((column) => held.has(column.name)).map((column) => identifier(column.name));
  for (const column of columns.filter((one) => !held.has(one.name))) {
    // Rows that an earlier version did not number were alone.
    if (column.name === 'position') own.push('0 AS "position"');
    else if (!column.nullable)
      await tx.run(`ALTER TABLE ${name} ALTER COLUMN ${identifier(column.name)} DROP NOT NULL`);
  }
  await tx.run(`INSERT INTO ${name} BY NAME SELECT ${own.join(', ')} FROM ${from}`);
}

/** The statement that notes loads of which no more is known than their numbers. @param of stream and partition, in SQL */
export const loadSql = (ids: string, of: string, to = 'NULL') =>
  `INSERT INTO firn.load (load_id, run_id, stream, "partition", pages, rows_in, rows_written, rows_quarantined, bytes, position_to, committed_at)
   SELECT _load_id, '', ${of}, 0, 0, 0, 0, 0, ${to}, now()::TIMESTAMP FROM (${ids}) AS loads`;
