import type { Position } from '../../core/stream/partition.ts';
import { positionOf, positionText } from '../../load/commit/checkpoints.ts';
import type { Division, Lease, Ledger, Note, PartitionName } from '../contract.ts';
import type { Control, Sql } from './control.ts';

/** Adds partitions, each with a part that stands for the whole of it. */
export async function enlist(control: Control, partitions: readonly PartitionName[]): Promise<void> {
  const of = [partitions.map(({ stream }) => stream), partitions.map(({ partition }) => partition)];
  await control.transaction(async (sql) => {
    // Always in the same order, or two workers that begin at once could wait for each other.
    const named = 'SELECT DISTINCT s, p FROM unnest($1::text[], $2::text[]) AS n (s, p) ORDER BY s, p';
    await sql.query(`INSERT INTO firn.partition (stream, partition) ${named} ON CONFLICT DO NOTHING`, of);
    await sql.query(`INSERT INTO firn.part (stream, partition) ${named} ON CONFLICT DO NOTHING`, of);
  });
}

/** Makes parts of positions that are in none yet; the last one says when the source's end was seen that it is to be read to. */
export function divide(control: Control, lease: Lease, { first, last, size }: Division): ReturnType<Ledger['divide']> {
  return control.transaction(async (sql) => {
    if (!(await isHeld(sql, lease))) return 'fenced';
    await sql.query(
      `WITH divided AS (
         UPDATE firn.partition SET joined_to = coalesce(joined_to, $3), divided_to = greatest(divided_to, $4::bigint + 1)
         WHERE stream = $1 AND partition = $2
         RETURNING (SELECT divided_to FROM firn.partition WHERE stream = $1 AND partition = $2) AS before
       )
       INSERT INTO firn.part (stream, partition, first_position, last_position, read_at)
       SELECT $1, $2, f, least(f + $5::bigint - 1, $4::bigint), CASE WHEN f + $5::bigint > $4::bigint THEN clock_timestamp() END FROM divided, generate_series(coalesce(before, $3::bigint), $4::bigint, $5::bigint) AS f`,
      [lease.stream, lease.partition, first, last, size],
    );
    return 'ok';
  });
}

/** Noted before anything of it is committed, and of the lowest position. */
export async function takeInPart(sql: Sql, { stream, partition }: Lease, from: number): Promise<void> {
  await sql.query('UPDATE firn.partition SET part_from = least(part_from, $3) WHERE stream = $1 AND partition = $2', [
    stream,
    partition,
    from,
  ]);
}

export function handOut(
  control: Control,
  lease: Lease,
  { first, last, size }: Division,
  again?: Lease['again'],
): ReturnType<Ledger['handOut']> {
  return control.transaction(async (sql) => {
    if (!(await isHeld(sql, lease))) return 'fenced';
    await sql.query(
      `INSERT INTO firn.part (stream, partition, first_position, last_position, beside, after_batch)
       SELECT $1, $2, f, least(f + $5::bigint - 1, $4::bigint), $6, CASE WHEN $6::text IS NOT NULL THEN (SELECT last_value FROM firn.batch_id) END
       FROM generate_series($3::bigint, $4::bigint, $5::bigint) AS f`,
      [lease.stream, lease.partition, first, last, size, again ?? null],
    );
    return 'ok';
  });
}

/** Notes from where on a partition is read; nothing where the lease is another's, who may read from elsewhere. */
export async function begin(sql: Sql, { stream, partition, part, epoch }: Lease, from: string): Promise<void> {
  await sql.query(
    `UPDATE firn.partition SET begun = $3 WHERE stream = $1 AND partition = $2
     AND EXISTS (SELECT 1 FROM firn.part WHERE id = $4 AND epoch = $5)`,
    [stream, partition, from, part, epoch],
  );
}

export function endBeside(
  control: Control,
  lease: Lease,
  own: (main: Position | null) => Position | null,
  from?: string,
): ReturnType<Ledger['endBeside']> {
  return control.transaction(async (sql) => {
    if (!(await isHeld(sql, lease))) return 'fenced';
    const [main] = await sql.query<{ id: string; cursor: string | null }>(
      'SELECT id, cursor FROM firn.part WHERE stream = $1 AND partition = $2 AND first_position IS NULL AND beside IS NULL FOR UPDATE',
      [lease.stream, lease.partition],
    );
    // A worker that is reading is refused then, and goes on from the new position.
    const position = own(positionOf(main?.cursor));
    if (main && position)
      await sql.query('UPDATE firn.part SET cursor = $2 WHERE id = $1', [main.id, positionText(position)]);
    if (from !== undefined) await begin(sql, lease, from);
    await sql.query('DELETE FROM firn.part WHERE id = $1', [lease.part]);
    return 'ok';
  });
}

/** Whether the lease is still the part's newest, as none is of a part that is over; the part stays locked until the transaction ends. */
export async function isHeld(sql: Sql, { part, epoch }: Lease): Promise<boolean> {
  const [row] = await sql.query('SELECT 1 FROM firn.part WHERE id = $1 AND epoch = $2 FOR UPDATE', [part, epoch]);
  return row !== undefined;
}

/** The row that was read last, with the name by which the next one must call it. */
interface Tip {
  readonly id: string | null;
  readonly row: Note;
}

/**
 * Joins finished parts to what lies before them, as far as they are contiguous and linked, and removes them.
 *
 * @param passesOver whether what does not follow is noted as a gap, and passed over
 * @returns the position at which another chain begins; undefined where all fits
 */
export async function join(sql: Sql, { stream, partition }: Lease, passesOver = false): Promise<number | undefined> {
  const [at] = await sql.query<{ joined_to: string; tip: Tip | null }>(
    'SELECT joined_to, tip FROM firn.partition WHERE stream = $1 AND partition = $2 FOR UPDATE',
    [stream, partition],
  );
  // For parts below the first row that was read, audits check the links between rows.
  await sql.query('DELETE FROM firn.part WHERE stream = $1 AND partition = $2 AND is_done AND last_position < $3', [
    stream,
    partition,
    at?.joined_to,
  ]);
  const parts = await sql.query<{ id: string; first: string; last: string; parent: string | null; tip: Tip | null }>(
    `SELECT id, first_position AS first, last_position AS last, parent, tip FROM firn.part
     WHERE stream = $1 AND partition = $2 AND is_done ORDER BY first_position`,
    [stream, partition],
  );
  let next = Number(at?.joined_to);
  let tip = at?.tip ?? null;
  let apart: number | undefined;
  const joined: string[] = [];
  for (const part of parts) {
    if (Number(part.first) !== next) break;
    const isKnown = (tip?.id ?? null) !== null && part.parent !== null;
    if (isKnown && part.parent !== tip?.id) {
      if (!passesOver) {
        apart = next;
        break;
      }
      // The one that read it knew of it where this lay before it already.
      await sql.query(
        `INSERT INTO firn.gap (stream, partition, from_position, to_position, load_id)
         SELECT $1, $2, $3, $3::bigint - 1, max(load_id) FROM firn.load WHERE stream = $1 AND partition = $2
         HAVING NOT EXISTS (SELECT 1 FROM firn.gap WHERE stream = $1 AND partition = $2 AND from_position = $3 AND to_position = $3::bigint - 1)`,
        [stream, partition, next],
      );
    }
    joined.push(part.id);
    next = Number(part.last) + 1;
    tip = part.tip;
  }
  if (joined.length === 0) return apart;
  await sql.query('UPDATE firn.partition SET joined_to = $3, tip = $4 WHERE stream = $1 AND partition = $2', [
    stream,
    partition,
    next,
    tip && JSON.stringify(tip),
  ]);
  await sql.query(
    `WITH joined AS (DELETE FROM firn.part WHERE id = ANY($3::bigint[]) RETURNING read_at)
     UPDATE firn.part SET read_at = greatest(read_at, (SELECT max(read_at) FROM joined))
     WHERE stream = $1 AND partition = $2 AND first_position IS NULL AND beside IS NULL`,
    [stream, partition, joined],
  );
  return apart;
}
