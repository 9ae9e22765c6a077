import { literal, literalOrNull, ofPartition } from '../../core/text/sqlText.ts';
import type { Commit } from './batch.ts';
import { noteBegun } from './begun.ts';
import { noteCheckpoint, positionText } from './checkpoints.ts';
import { extentOf, type ReadyWrite, type RowCounts } from './writeRows.ts';

/** What is noted of a load, as statements that go out together. */
export function loadStatements(
  { stream, batch, runId, from, to, requests }: Commit,
  { loadId, key, checkpointKey, written, begun, found }: Noted,
): readonly string[] {
  const of = (key: string) => `${literal(stream.id)}, ${literal(key)}`;
  const load = [
    loadId,
    literal(runId),
    of(key),
    literal(batch.request),
    batch.pages,
    batch.records,
    written.rows + written.childRows,
    batch.quarantined.length,
    batch.bytes,
    literalOrNull(positionText(from)),
    literalOrNull(positionText(to)),
    'now()::TIMESTAMP',
    requests ?? 'NULL',
    written.childRows,
  ];
  const lookups = batch.lookups ?? [];
  const again = lookups.filter(({ isAgain }) => isAgain).map(({ key }) => literal(key));
  const rows = (table: string, values: readonly string[]) =>
    values.length > 0 ? [`INSERT INTO ${table} VALUES ${values.join(', ')}`] : [];
  return [
    ...(again.length > 0
      ? [`DELETE FROM firn.lookup WHERE ${ofPartition(stream.id, key)} AND "key" IN (${again.join(', ')})`]
      : []),
    ...rows(
      'firn.lookup',
      lookups.map((one) => `(${of(key)}, ${literal(one.key)}, ${literal(one.outcome)}, ${loadId})`),
    ),
    ...found,
    ...rows(
      'firn.gap',
      (batch.gaps ?? []).map((gap) => `(${of(key)}, ${BigInt(gap.from)}, ${BigInt(gap.to)}, ${loadId})`),
    ),
    ...(to
      ? [
          `DELETE FROM firn.checkpoint WHERE ${ofPartition(stream.id, checkpointKey)}`,
          noteCheckpoint(stream.id, checkpointKey, to, loadId),
        ]
      : []),
    ...(begun === undefined ? [] : noteBegun(stream.id, key, begun)),
    `INSERT INTO firn.load VALUES (${load.join(', ')})`,
  ];
}

/** What came of a load, and where it is noted. */
interface Noted {
  readonly loadId: number;
  readonly key: string;
  readonly checkpointKey: string;
  readonly written: RowCounts;
  /** From where on the partition is read, where that is not noted yet. */
  readonly begun: string | undefined;
  /** Statements about what was noted as missing and is not. */
  readonly found: readonly string[];
}

/**
 * Statements that forget what was noted as missing between the first and the last position of a batch: it says itself what is. What reaches
 * beyond these stays. Audits look at everything again, as in `noteGaps`.
 */
export function foundAgain({ stream, batch }: Commit, key: string, writes: readonly ReadyWrite[]): readonly string[] {
  if (stream.way !== 'range') return [];
  const own = writes.find(({ table }) => table === stream.table);
  const ends = [
    ...(extentOf(own?.parts ?? [], stream.position) ?? []),
    ...(batch.gaps ?? []).flatMap(({ from, to }) => [from, to]),
  ].map(Number);
  if (ends.length === 0) return [];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const gap = `FROM firn.gap WHERE ${ofPartition(stream.id, key)} AND from_position <= ${high} AND to_position >= ${low}`;
  const rest = (from: string, to: string, where: string) =>
    `INSERT INTO firn.gap SELECT stream, "partition", ${from}, ${to}, load_id ${gap} AND ${where}`;
  return [
    `DELETE FROM firn.audit_state WHERE EXISTS (SELECT 1 ${gap})`,
    rest('from_position', `${low - 1}`, `from_position < ${low}`),
    rest(`${high + 1}`, 'to_position', `to_position > ${high}`),
    `DELETE ${gap}`,
  ];
}
