import type { Engine } from '../contract.ts';
import type { LakeCut } from './cut.ts';

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
  const [then, since] = [was, is].map(
    (at) => `SELECT stream, "partition", from_position, to_position FROM ${engine.asOf('firn.gap', at)}`,
  );
  return (await engine.query(`${then} EXCEPT ${since} LIMIT 1`)).length > 0;
}
