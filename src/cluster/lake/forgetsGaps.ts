import type { Engine } from '../contract.ts';
import type { LakeCut } from './lakeCut.ts';

/**
 * Whether anything that was known to be missing at one cut is not at a later one: what audits let pass because of it may not pass any more. What is
 * known only since then makes none of them find more.
 */
export async function forgetsGaps(
  engine: Pick<Engine, 'query' | 'asOf'>,
  before: Pick<LakeCut, 'snapshots'>,
  now: Pick<LakeCut, 'snapshots'>,
): Promise<boolean> {
  const [was, is] = [before, now].map(({ snapshots }) => snapshots['firn.gap']);
  if (was === is || was === undefined) return false;
  if (is === undefined) return true;
  const [then, since] = [was, is].map((at) => `(SELECT * FROM ${engine.asOf('firn.gap', at)})`);
  const forgotten = await engine.query(
    `SELECT g.stream FROM ${then} AS g LEFT JOIN ${since} AS s ON s.stream = g.stream AND s."partition" = g."partition"
       AND s.from_position <= g.from_position AND s.to_position >= g.to_position
     WHERE s.stream IS NULL LIMIT 1`,
  );
  return forgotten.length > 0;
}
