import type { Lease } from '../contract.ts';
import type { Control, Sql } from './control.ts';
import { isHeld } from './parts.ts';

/**
 * What stretches stand beside that are read again: of positions of which a part was taken, or of those that a backfill asks for. Older versions hand out
 * none that stands beside what they do not know.
 */
export const whole = 'whole';
export const days = 'days';

/** Those that may be handed out: what was read before is in the lake. The oldest file that waits is looked for once, and not for each stretch. */
export const mayBeReadAgain = `(after_batch IS NULL OR after_batch < (SELECT coalesce(min(batch_id), 9223372036854775807) FROM firn.batch_file WHERE applied_at IS NULL))`;

/** What a part that is read again has left. */
const leftAgain = `coalesce((w.cursor::jsonb ->> 'next')::bigint, w.first_position)`;

/** The first position of a partition `p` of which only a part was taken, and that was not read again since. */
export const partFrom = `least((to_jsonb(p) ->> 'part_from')::bigint,
       (SELECT min(${leftAgain}) FROM firn.part AS w WHERE (w.stream, w.partition) = (p.stream, p.partition) AND w.beside = '${whole}'))`;

/** See `Ledger`, as for the others here. */
export function divideAgain(control: Control, lease: Lease, size: number): Promise<void> {
  return control.transaction(async (sql) => {
    if (!(await isHeld(sql, lease))) return;
    // What an open stretch brings may be taken in part, too: once it is joined, all of it is read again.
    await sql.query(
      `WITH stands AS (
         SELECT part_from, joined_to FROM firn.partition WHERE stream = $1 AND partition = $2 AND part_from < joined_to
         AND NOT EXISTS (SELECT 1 FROM firn.part WHERE stream = $1 AND partition = $2 AND first_position IS NOT NULL)
       ),
       divided AS (UPDATE firn.partition SET part_from = NULL WHERE stream = $1 AND partition = $2 AND EXISTS (SELECT 1 FROM stands))
       INSERT INTO firn.part (stream, partition, first_position, last_position, beside, after_batch)
       SELECT $1, $2, f, least(f + $3::bigint, joined_to) - 1, $4, (SELECT last_value FROM firn.batch_id)
       FROM stands, generate_series(part_from, joined_to - 1, $3::bigint) AS f`,
      [lease.stream, lease.partition, size, whole],
    );
  });
}

export function leaveInPart(control: Control, lease: Lease): Promise<void> {
  const { stream, partition, part } = lease;
  return control.transaction(async (sql) => {
    if (!(await isHeld(sql, lease))) return;
    await sql.query(
      `UPDATE firn.partition AS p SET part_from = least(part_from, ${leftAgain}) FROM firn.part AS w
       WHERE p.stream = $1 AND p.partition = $2 AND w.id = $3`,
      [stream, partition, part],
    );
    await sql.query('DELETE FROM firn.part WHERE id = $1', [part]);
  });
}

export async function wasReadAgain(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql.query('SELECT 1 FROM firn.batch_file WHERE table_name = $1 LIMIT 1', [table]);
  return rows.length > 0;
}
