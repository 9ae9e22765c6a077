import { ownColumn } from '../../core/columns/table.ts';
import { Rows } from '../../core/rows/rows.ts';
import { partitionMembers } from '../../core/stream/partition.ts';
import type { Declared } from '../../core/stream/stream.ts';
import { positionIn } from '../commit/quarantine.ts';
import { recordKey } from '../commit/recordKey.ts';
import type { Writer } from '../database/writer.ts';

/** Records that are looked at together. */
const atOnce = 1_000;

const columns = [
  ownColumn('id', 'bigint'),
  ownColumn('record_key', 'varchar', true),
  ownColumn('position', 'bigint', true),
] as const;

/**
 * Gives records that firn 0.1 put into quarantine their keys, by which a source that sends them correctly resolves them, and their positions, at
 * which they leave a hole where they are accepted. Those whose key cannot be read keep none.
 */
export async function keyOldRecords(
  warehouse: Pick<Writer, 'query' | 'transaction'>,
  declared: readonly Declared[],
): Promise<void> {
  const streams = new Map(declared.map((stream) => [stream.id, stream]));
  for (let after: bigint | undefined = -1n; after !== undefined; ) {
    // Entries, in place of a row for each time, are what migration 110 has made of them.
    const held: { id: bigint; stream: string; partition: string; record: string }[] = await warehouse.query(
      `SELECT id, stream, "partition", record FROM firn.quarantine
       WHERE id > $1 AND record_key IS NULL AND replayed_at IS NULL
         AND last_seen_at < (SELECT applied_at FROM main.firn_schema_version WHERE "version" = 110)
       ORDER BY id LIMIT ${atOnce}`,
      [after],
    );
    const rows = new Rows(columns);
    for (const { id, partition, record, ...one } of held) {
      const stream = streams.get(one.stream);
      const record_key = stream
        ? recordKey(stream, { values: Object.fromEntries(partitionMembers(partition)) }, record)
        : null;
      if (stream && record_key !== null) rows.append({ id, record_key, position: positionIn(stream, record) });
    }
    if (rows.length > 0)
      await warehouse.transaction((tx) =>
        tx.offer(columns, [rows], (from) =>
          tx.run(
            `UPDATE firn.quarantine AS old SET record_key = new.record_key, "position" = new."position" FROM ${from} AS new WHERE old.id = new.id`,
          ),
        ),
      );
    after = held.at(-1)?.id;
  }
}
