import type { Row } from '../../core/columns/columnType.ts';
import { type Column, ownColumn } from '../../core/columns/table.ts';
import { RawValue } from '../../core/json/rawValue.ts';
import { Rows } from '../../core/rows/rows.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Transaction } from '../database/transaction.ts';
import { sha256 } from '../sha256.ts';
import type { Quarantined } from './batch.ts';
import { knownRowSql, recordKey, rowKeySql, shownSql, showsParts } from './recordKey.ts';

/** The partition that a load belongs to. */
interface Of {
  readonly stream: Declared;
  readonly partition: Partition;
}

const columns: readonly Column[] = [
  ownColumn('number', 'integer'),
  ownColumn('reason', 'varchar'),
  ownColumn('record', 'varchar'),
  ownColumn('record_hash', 'varchar'),
  ownColumn('record_key', 'varchar', true),
  ownColumn('times_seen', 'bigint'),
  ownColumn('position', 'bigint', true),
];

/**
 * Puts records into quarantine inside the open transaction, all of them in a few statements. One that is there already, by its key or
 * else by its content, is counted; where it was read after all, it is open again, and where it was accepted, it stays accepted.
 */
export async function writeQuarantine(
  tx: Transaction,
  { stream, partition }: Of,
  loadId: number,
  quarantined: readonly Quarantined[],
): Promise<void> {
  if (quarantined.length === 0) return;
  const rows = new Rows(columns);
  for (const row of distinct({ stream, partition }, quarantined)) rows.append(row);
  const of = [stream.id, partitionKey(partition)];
  const mine = 'old.stream = $1 AND old."partition" = $2';
  const known = 'coalesce(old.record_key, old.record_hash) = coalesce(new.record_key, new.record_hash)';
  await tx.offer(columns, [rows], async (from) => {
    // Entries of earlier versions do not say what they show.
    await tx.run(
      `UPDATE firn.quarantine AS old SET record_key = new.record_key FROM ${from} AS new
       WHERE ${mine} AND old.record_key IS DISTINCT FROM new.record_key AND new.record_key IS NOT NULL AND old.record_hash = new.record_hash`,
      of,
    );
    await tx.run(
      `UPDATE firn.quarantine AS old SET reason = new.reason, record = new.record, record_hash = new.record_hash,
         times_seen = old.times_seen + new.times_seen, last_seen_at = now()::TIMESTAMP, last_load_id = ${loadId}, replayed_at = NULL, "position" = new."position"
       FROM ${from} AS new WHERE ${mine} AND ${known}`,
      of,
    );
    await tx.run(
      `INSERT INTO firn.quarantine (id, load_id, "number", stream, "partition", reason, record, record_hash, record_key,
         times_seen, quarantined_at, last_seen_at, last_load_id, "position")
       SELECT (SELECT coalesce(max(id), 0) FROM firn.quarantine) + row_number() OVER (), ${loadId}, new."number", $1, $2,
         new.reason, new.record, new.record_hash, new.record_key, new.times_seen, now()::TIMESTAMP, now()::TIMESTAMP, ${loadId}, new."position"
       FROM ${from} AS new WHERE NOT EXISTS (SELECT 1 FROM firn.quarantine AS old WHERE ${mine} AND ${known})`,
      of,
    );
  });
}

/** Characters of a reason that are kept: entries are grouped and shown by it, and the record says all. */
const longestReason = 2_000;

/** Records of one batch, each once: as it came last, with how often it came. */
function distinct({ stream, partition }: Of, quarantined: readonly Quarantined[]): Row[] {
  const found = new Map<string, Row>();
  quarantined.forEach(({ record, reason }, number) => {
    const record_hash = sha256(record);
    const record_key = recordKey(stream, partition, record);
    const { number: first = number, times_seen = 0 } = found.get(record_key ?? record_hash) ?? {};
    const position = positionIn(stream, record);
    const told = { number: first, reason: reason.slice(0, longestReason), record, record_hash, record_key, position };
    const row = { ...told, times_seen: Number(times_seen) + 1 };
    found.set(record_key ?? record_hash, row);
  });
  return [...found.values()];
}

/** Where its row would stand; null where the stream is not read by position. */
export function positionIn(stream: Declared, record: string): number | null {
  if (stream.way !== 'range') return null;
  const position = new RawValue(Buffer.from(record)).number(stream.position);
  return Number.isSafeInteger(position) ? position : null;
}

/** Those of the records of a partition that somebody did not accept, or whose key is known. */
export async function notAccepted(
  { query }: Pick<Transaction, 'query'>,
  { stream, partition }: Of,
  records: readonly string[],
): Promise<readonly string[]> {
  if (records.length === 0) return records;
  const accepted = await query<{ hash: string }>(
    `SELECT record_hash AS hash FROM firn.quarantine
     WHERE stream = $1 AND "partition" = $2 AND accepted_at IS NOT NULL AND record_key IS NULL`,
    [stream.id, partitionKey(partition)],
  );
  const hashes = new Set(accepted.map(({ hash }) => hash));
  return records.filter((record) => !hashes.has(sha256(record)));
}

/** Marks records in quarantine as read, inside the open transaction. */
export async function resolveRead(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(
    `UPDATE firn.quarantine SET replayed_at = now()::TIMESTAMP WHERE id IN (SELECT unnest([${ids.join(', ')}]))`,
  );
}

/**
 * The same for records that the source sent correctly this time, known by their key, inside the open transaction that has written their
 * rows.
 *
 * @param rows relation with the rows that were read, as SQL
 */
export async function resolveCorrected(tx: Transaction, { stream, partition }: Of, rows: string): Promise<void> {
  const of = [stream.id, partitionKey(partition)];
  const corrected = `stream = $1 AND "partition" = $2 AND replayed_at IS NULL
    AND ${knownRowSql(stream, partition)} IN (SELECT ${rowKeySql(stream, partition)} FROM ${rows})`;
  if (!showsParts(stream)) {
    await tx.run(`UPDATE firn.quarantine SET replayed_at = now()::TIMESTAMP WHERE ${corrected}`, of);
    return;
  }
  const held = await tx.query<{ id: bigint; record: string }>(
    `SELECT id, record FROM firn.quarantine WHERE ${corrected}`,
    of,
  );
  const elsewhere = held.filter(({ record }) => record === '').map(({ id }) => id);
  const records = elsewhere.length > 0 ? await tx.recordsOf?.(elsewhere) : undefined;
  const read: bigint[] = [];
  for (const { id, record } of held) {
    const says = records?.get(id) ?? record;
    const [found] = await tx.query<{ is: boolean }>(`SELECT ${shownSql(stream, partition, says)} AS "is"`);
    if (found?.is) read.push(id);
  }
  await resolveRead(tx, read);
}
