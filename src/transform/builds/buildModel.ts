import type { Statements } from '../../load/database/transaction.ts';
import { coverageChanges, rememberCoverage, updateStates } from '../changes/coverageChanges.ts';
import type { DirtyRange } from '../changes/dirtyRanges.ts';
import { contentSql } from '../changes/inputStates.ts';
import { addTouched } from '../changes/touchedStretches.ts';
import type { PlacedModel } from '../models/model.ts';
import { withScope } from '../scope.ts';
import { buildBuckets, type TouchedBuckets } from './buildBuckets.ts';
import { buildChanged } from './buildChanged.ts';
import { buildEarliest } from './buildEarliest.ts';
import { buildHours } from './buildHours.ts';
import type { FrozenRows } from './frozenRows.ts';
import { insertModel } from './insertModel.ts';

/** What changed since the last build, gathered while the models are built one after the other. */
export interface Changes extends TouchedBuckets {
  readonly ranges: readonly DirtyRange[];
  /** While tables are rebuilt: rows that cannot be computed again, and the time that they cover. */
  readonly frozen: FrozenRows | undefined;
  readonly past: readonly DirtyRange[];
  /** The last load that the tables hold. */
  readonly since: bigint;
}

/**
 * Builds a model, or brings it up to date.
 *
 * @param isTold whether its header tells all that may have changed in it
 * @param isWatched whether somebody asks if a table that is built whole is what it was
 * @returns whether a table is known to hold what it held
 */
export async function buildModel(
  warehouse: Statements,
  model: PlacedModel,
  changes: Changes,
  { isTold, isWatched }: { readonly isTold: boolean; readonly isWatched: boolean },
): Promise<boolean> {
  if (model.keptAs.kind !== 'table' || model.name === coverage) {
    await bringUpToDate(warehouse, model, changes);
    return false;
  }
  const outcome = isTold ? await buildChanged(warehouse, model, changes.since) : 'unknown';
  if (outcome !== 'unknown') return outcome === 'same';
  const before = isWatched && (await contentOf(warehouse, model));
  await buildTable(warehouse, model);
  return isWatched && before === (await contentOf(warehouse, model));
}

async function contentOf(warehouse: Statements, { name }: PlacedModel): Promise<string | undefined> {
  const [row] = await warehouse.query<{ content: string }>(`SELECT ${contentSql} AS content FROM ${name}`);
  return row?.content;
}

async function bringUpToDate(warehouse: Statements, model: PlacedModel, changes: Changes): Promise<void> {
  const { keptAs } = model;
  switch (keptAs.kind) {
    case 'view':
      return;
    case 'hours':
      return buildHours(warehouse, model, keptAs.column, changes.ranges);
    case 'earliest':
      // A new model knows nothing of the past.
      if (changes.frozen?.names.has(model.name)) return buildEarliest(warehouse, model, keptAs.key, changes.ranges);
      return buildEarliest(warehouse, model, keptAs.key, [...changes.past, ...changes.ranges]);
    case 'buckets':
      await buildBuckets(warehouse, model, changes);
      if (model.name !== 'mart.metric') return;
      // Before the tables that are made from it.
      await changes.frozen?.putBackMetrics();
      return inChains(warehouse, changes, () => updateStates(warehouse));
    case 'table':
      return inChains(warehouse, changes, () => buildCoverage(warehouse, model, changes));
  }
}

async function buildTable(warehouse: Statements, model: PlacedModel): Promise<void> {
  await warehouse.run(`DELETE FROM ${model.name}`);
  await warehouse.run(`INSERT INTO ${model.name} ${model.sql}`);
}

/** The table that tells which buckets are whole. */
export const coverage = 'firn.coverage';

/** Builds the coverage of the chains in scope again; untouched buckets become dirty where it says something else of them than before. */
async function buildCoverage(warehouse: Statements, model: PlacedModel, changes: Changes): Promise<void> {
  await rememberCoverage(warehouse);
  await warehouse.run(`DELETE FROM ${coverage} WHERE in_chains(chain_id)`);
  await insertModel(warehouse, model);
  const found = await coverageChanges(warehouse, changes.stretches);
  await warehouse.run('DROP TABLE firn_coverage_before');
  addTouched(changes, found);
}

/** Does work on the chains whose blocks changed, or on all where tables are built afresh: what cannot be built again is in no stretch. */
function inChains<T>(warehouse: Statements, { since, stretches }: Changes, work: () => Promise<T>): Promise<T> {
  if (since < 0n) return work();
  return withScope(warehouse, { firn_chains: [...new Set(stretches.map(({ chain }) => chain))].join('\n') }, work);
}
