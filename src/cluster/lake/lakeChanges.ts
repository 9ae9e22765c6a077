import { hasCode } from '../../core/firnError.ts';
import { querySql } from '../../load/packageFiles.ts';
import { secondsOf } from '../../transform/bucketTime.ts';
import {
  type ChangedHour,
  changedBlocks,
  type DirtyRange,
  joinHours,
  placedHours,
  unbuiltChains,
} from '../../transform/changes/dirtyRanges.ts';
import type { Engine } from '../contract.ts';
import { type Rendering, renderForTrino } from '../render/renderForTrino.ts';
import type { LakeCut, LastBuild } from './lakeCut.ts';

/** Tables that the next build also reads as this one leaves them: a build that fails half way would leave them newer than the others. */
export const remembered = ['mart.fct_block', 'firn.coverage'] as const;

/**
 * Whether the snapshots are there that a build compares with. Maintenance forgets those that are old, also those of a build after which none
 * came to its end; by models of which no build did there are none.
 */
export async function isStillThere(
  engine: Pick<Engine, 'asOf' | 'query'>,
  { snapshots }: Pick<LakeCut, 'snapshots'>,
): Promise<boolean> {
  const each = [...remembered, 'firn.gap'].flatMap((name) => {
    const snapshot = snapshots[name];
    return snapshot === undefined ? [] : [`SELECT 1 AS one FROM ${engine.asOf(name, snapshot)} WHERE false`];
  });
  try {
    if (each.length > 0) await engine.query(each.join(' UNION ALL '));
    return each.length > 0;
  } catch (error) {
    if (hasCode(error, 'failed')) return false;
    throw error;
  }
}

/** The most conditions on numbers in one statement. */
const mostStretches = 200;

/**
 * The hours to build again because of some loads: as `dirtyRanges` finds them on one machine. A load is known by its number, not by being
 * newer than another: of two workers the later number may have come first.
 */
export async function lakeChanges(
  engine: Engine,
  rendering: Rendering,
  loads: readonly number[],
  { snapshots }: LastBuild,
): Promise<DirtyRange[]> {
  const isNew = stretchesOf(loads).map(([first, last]) => `_load_id BETWEEN ${first} AND ${last}`);
  const table = (name: string) => {
    const before = remembered.some((one) => one === name) ? snapshots[name] : undefined;
    return before === undefined ? rendering.table(name) : engine.asOf(name, before);
  };
  const words = (text: string) => renderForTrino(text, { ...rendering, table });
  const unbuilt = await engine.query<{ chain_id: string }>(words(unbuiltChains));
  const sql = `WITH firn_changed AS (SELECT DISTINCT chain_id, "number" FROM (${changedBlocks(isNew.join(' OR ') || 'false', unbuilt)})),
firn_hours AS (${querySql('changed_hours')}),
${placedHours('(SELECT min("hour") FROM firn_hours)', `(SELECT max("hour") + INTERVAL '1' HOUR FROM firn_hours)`)}
SELECT chain_id, CAST("hour" AS VARCHAR) AS "hour", "first", "last", work, work_so_far FROM placed`;
  const rows = await engine.query<Omit<ChangedHour, 'hour'> & { hour: string }>(words(sql));
  // Sorted here: as part of a larger statement a SELECT has no order.
  const hours = rows.map((row) => ({ ...row, hour: secondsOf(row.hour) / 3600 })).sort((x, y) => x.hour - y.hour);
  return joinHours(hours);
}

/** Numbers as stretches, joined where there are too many: numbers that nobody asked for do no harm. */
export function stretchesOf(numbers: readonly number[], most = mostStretches): [first: number, last: number][] {
  const sorted = [...numbers].sort((a, b) => a - b);
  const gaps = sorted.map((number, i) => number - (sorted[i - 1] ?? number)).sort((a, b) => b - a);
  // They are parted at the widest gaps.
  const parting = Math.max(1, gaps[most - 1] ?? 1);
  const stretches: [number, number][] = [];
  for (const number of sorted) {
    const last = stretches.at(-1);
    if (last && number - last[1] <= parting) last[1] = number;
    else stretches.push([number, number]);
  }
  return stretches;
}
