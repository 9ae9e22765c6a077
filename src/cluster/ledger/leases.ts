import { FirnError } from '../../core/firnError.ts';
import { positionOf } from '../../load/commit/checkpoints.ts';
import type { Lease, LeaseFilter, Ledger, Note, WholeLease } from '../contract.ts';
import { days, mayBeReadAgain, whole } from './again.ts';
import type { Control } from './control.ts';
import { isHeld, join } from './parts.ts';
import { storable } from './storable.ts';

/** No lease holds for so long, and nothing is due so late: a moment beyond it is of before the clock of the control database was set back. */
const farOff = `clock_timestamp() + interval '2 hours'`;
/** Whether a moment is over: nobody holds what a lease of until then was for. */
export const isPast = (column: string) => `(${column} <= clock_timestamp() OR ${column} > ${farOff})`;
/** Of parts and tasks: whether nobody holds one, or somebody does. */
const isFree = isPast('lease_until');
export const isTaken = `NOT ${isFree}`;

/**
 * The epoch of a new lease, of a part or task: above the one before, and by the clock. A server that took over may lack the newest leases, and would
 * give their numbers again: whoever has one would be taken for its new holder.
 */
export const nextEpoch = (before: string) =>
  `greatest(${before} + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)`;

/** How long late parts wait for all others, which may never be done. */
const longestWait = `interval '10 minutes'`;

/**
 * The requested parts ($3 to $5) that are held or due, without those that were looked at in the last $6 milliseconds; and whether nothing else
 * is left to do, so that late ones may be handed out.
 */
const openParts = `
  wanted AS (SELECT * FROM unnest($3::text[], $4::text[], $5::boolean[]) AS w (stream, partition, is_late)),
  open AS (
    SELECT id, due_at, lease_until, is_late FROM firn.part JOIN wanted USING (stream, partition)
    WHERE NOT is_done AND (${isTaken} OR ${isPast('due_at')}) AND (beside IS NULL OR beside IN ('${whole}', '${days}')) AND ${mayBeReadAgain}
      AND ($6::bigint IS NULL OR first_position IS NOT NULL OR outcome IS NOT DISTINCT FROM 'stopped'
        OR looked_at IS NULL OR looked_at < clock_timestamp() - $6 * interval '1 millisecond')
  ),
  rest AS (
    SELECT NOT EXISTS (SELECT 1 FROM open WHERE NOT is_late) AND NOT EXISTS (SELECT 1 FROM firn.batch_file WHERE applied_at IS NULL) AS is_there
  )`;

/**
 * The one of these that nobody holds and that has been due longest, of the partition of which none was handed out for longest. One that is just
 * being given to another worker is skipped.
 */
const longestDue = `
  SELECT id, stream, partition FROM firn.part JOIN firn.partition AS p USING (stream, partition)
  WHERE NOT is_done AND ${isFree} AND ${isPast('due_at')}
    AND id IN (SELECT id FROM open WHERE NOT is_late OR due_at < clock_timestamp() - ${longestWait} OR (SELECT is_there FROM rest))
  ORDER BY p.leased_at NULLS FIRST, due_at, id LIMIT 1 FOR UPDATE OF part SKIP LOCKED`;

/** Hands out a part that is due and that nobody holds. Partitions take turns. */
export async function lease(
  control: Control,
  { owner, ms, unlookedForMs, partitions }: LeaseFilter,
): Promise<Lease | null> {
  const [row] = await control.query<LeaseRow>(
    `WITH ${openParts},
     next AS MATERIALIZED (${longestDue}),
     turn AS (UPDATE firn.partition AS t SET leased_at = clock_timestamp() FROM next WHERE (t.stream, t.partition) = (next.stream, next.partition))
     UPDATE firn.part SET epoch = ${nextEpoch('epoch')}, owner = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'
     FROM firn.partition AS p
     WHERE part.id = (SELECT id FROM next)
     AND (p.stream, p.partition) = (part.stream, part.partition)
     RETURNING ${leased}`,
    [
      owner,
      ms,
      partitions.map(({ stream }) => stream),
      partitions.map(({ partition }) => partition),
      partitions.map(({ isLate = false }) => isLate),
      unlookedForMs ?? null,
    ],
  );
  return row ? leaseOf(row, owner) : null;
}

const leased = `part.id::float8 AS part, part.stream, part.partition, part.epoch::float8 AS epoch, part.cursor, part.memory, part.beside, p.begun,
  first_position::float8 AS first, last_position::float8 AS last, joined_to::float8 AS joined,
  (SELECT m.cursor FROM firn.part AS m WHERE (m.stream, m.partition) = (p.stream, p.partition) AND m.first_position IS NULL AND m.beside IS NULL) AS main,
  coalesce(part.tip, CASE WHEN first_position IS NULL OR first_position = joined_to THEN p.tip END) AS tip`;

/** Hands out the part that stands for a whole partition, due or not, or its backfill's part, which is made if it is missing. */
export function leaseWhole(
  control: Control,
  { owner, ms, stream, partition, beside }: WholeLease,
): Promise<Lease | null> {
  return control.transaction(async (sql) => {
    if (beside !== undefined)
      await sql.query(
        `INSERT INTO firn.part (stream, partition, beside) SELECT stream, partition, $3 FROM firn.partition
         WHERE stream = $1 AND partition = $2 ON CONFLICT DO NOTHING`,
        [stream, partition, beside],
      );
    const [row] = await sql.query<LeaseRow>(
      `UPDATE firn.part SET epoch = ${nextEpoch('epoch')}, owner = $1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'
       FROM firn.partition AS p
       WHERE (part.stream, part.partition) = ($3, $4) AND first_position IS NULL AND beside IS NOT DISTINCT FROM $5
         AND ${isFree} AND (p.stream, p.partition) = (part.stream, part.partition)
       RETURNING ${leased}`,
      [owner, ms, stream, partition, beside ?? null],
    );
    return row ? leaseOf(row, owner) : null;
  });
}

interface LeaseRow extends Pick<Lease, 'part' | 'stream' | 'partition' | 'epoch' | 'begun' | 'memory'> {
  readonly first: number | null;
  readonly last: number | null;
  readonly joined: number | null;
  readonly cursor: string | null;
  readonly tip: { readonly row: Note } | null;
  readonly beside: string | null;
  readonly main: string | null;
}

function leaseOf({ first, last, joined, cursor, tip, beside, main, ...row }: LeaseRow, owner: string): Lease {
  // What is divided stands where its stretches were joined.
  const joinedAt = joined === null ? null : { next: joined };
  const again = beside === whole || beside === days ? beside : undefined;
  return {
    ...row,
    owner,
    cursor: (first === null && beside === null ? joinedAt : null) ?? positionOf(cursor),
    ...(first !== null && last !== null && { range: { first, last } }),
    ...(again && { again }),
    ...(beside !== null && !again && { beside: { name: beside, main: positionOf(main) ?? joinedAt } }),
    tip: tip?.row ?? null,
  };
}

/** A worker that slept for hours may find its files swept away, so a lease that was over for so long holds no more, whoever has it. */
export const mayGoOn = `lease_until > clock_timestamp() - interval '1 hour'`;

export async function renew(control: Control, { part, epoch }: Lease, ms: number): Promise<'ok' | 'fenced'> {
  const rows = await control.query(
    `UPDATE firn.part SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE id = $1 AND epoch = $2 AND ${mayGoOn} RETURNING 1`,
    [part, epoch, ms],
  );
  return rows.length === 1 ? 'ok' : 'fenced';
}

/** Whether a part is a stretch, or has stretches that are not read and joined yet: then its source's end was not reached. */
const isBehind = `(first_position IS NOT NULL OR EXISTS (
  SELECT 1 FROM firn.part AS s JOIN firn.partition AS p USING (stream, partition)
  WHERE (s.stream, s.partition) = (part.stream, part.partition) AND s.beside IS NULL AND s.first_position >= p.joined_to))`;

/** Gives a lease back; a stretch of positions that is read to its end is over. */
export async function release(
  control: Control,
  held: Lease,
  { dueInMs, problem, result, passesOver }: Parameters<Ledger['release']>[1],
): Promise<'ok' | 'fenced'> {
  const apart = await control.transaction(async (sql) => {
    if (!(await isHeld(sql, held))) return 'fenced' as const;
    const [row] = await sql.query<{ is_done: boolean }>(
      `UPDATE firn.part SET epoch = epoch + 1, lease_until = '-infinity', owner = NULL, problem = CASE WHEN $4::text IS NULL THEN coalesce($2, problem) ELSE $2 END, due_at = clock_timestamp() + $3 * interval '1 millisecond',
         is_done = coalesce((cursor::jsonb ->> 'next')::bigint > last_position, false),
         outcome = coalesce($4, outcome), behind = CASE WHEN $4 IS NULL THEN behind ELSE $5 END,
         code = CASE WHEN $4 IS NULL THEN code ELSE $6 END,
         looked_at = CASE WHEN $4 IS NULL THEN looked_at ELSE clock_timestamp() END,
         read_at = CASE WHEN $4 = 'done' AND $5::bigint IS NULL AND NOT ${isBehind} THEN clock_timestamp() ELSE read_at END
       WHERE id = $1 RETURNING is_done`,
      [
        held.part,
        problem === undefined ? null : storable(problem),
        dueInMs,
        result?.outcome ?? null,
        result?.behind ?? null,
        result?.code ?? null,
      ],
    );
    if (row?.is_done && held.again) await sql.query('DELETE FROM firn.part WHERE id = $1', [held.part]);
    const at = row?.is_done && !held.again ? await join(sql, held, passesOver) : undefined;
    if (at === undefined) return undefined;
    const error = isApart(held, at);
    // It is never joined, nor handed out again: status tells of it from here on.
    await sql.query(
      `UPDATE firn.part SET outcome = 'failed', problem = $4, code = $5, looked_at = clock_timestamp() WHERE stream = $1 AND partition = $2 AND first_position = $3`,
      [held.stream, held.partition, at, error.message, error.code],
    );
    return error;
  });
  if (apart instanceof FirnError) throw apart;
  return apart ?? 'ok';
}

const isApart = ({ stream, partition }: Lease, position: number) =>
  new FirnError(
    'contract',
    `${stream} (${partition}): position ${position} does not follow ${position - 1}: its parent is another. Workers were answered by ` +
      'servers of different chains, or by one that changed its mind. What lies before stays, nothing behind it counts, and workers do not read it again: docs/cluster.md says what is left to do.',
  );
