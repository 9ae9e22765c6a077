import { FirnError } from '../../core/firnError.ts';
import { type Declared, tablesOf } from '../../core/stream/stream.ts';
import { newestChange } from '../../load/commit/checkpoints.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { type DropOptions, type DropResult, dropPartitions } from '../../retention/dropPartitions.ts';
import { leftBehind } from '../../transform/builds/buildAll.ts';
import { versionOf } from '../../transform/builds/builtModel.ts';
import { areSameChains } from '../../transform/changes/inputStates.ts';
import { inputsOf } from '../../transform/changes/inputsOf.ts';
import { isByBlocks, type Model } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { rawNeededWhole } from '../../transform/models/rawNeededWhole.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { layoutsOf } from '../layoutsOf.ts';

/**
 * Drops old raw rows: only those that were built into the tables that keep the metrics, and never those from which tables are rebuilt in
 * every build, nor served values.
 *
 * @throws FirnError `usage` where rows were loaded, chains became known, or models changed, that are not built yet, or for a table that cannot be cut; `failed` for a
 *   model that cannot be parsed
 */
export async function dropHistory(
  warehouse: Warehouse,
  catalogue: readonly Declared[],
  {
    models: files,
    ...options
  }: Omit<DropOptions, 'needed' | 'ofBlocks' | 'layouts'> & { readonly models?: readonly Model[] | undefined },
): Promise<DropResult> {
  const models = await placeModels(warehouse, files ?? (await readModels()));
  for (const { problem } of models) if (problem) throw problem;
  const [state] = await warehouse.query<{ load_id: bigint; models_hash: string; inputs: string | null }>(
    'SELECT load_id, models_hash, inputs FROM firn.build_state',
  );
  const isBuilt =
    state?.models_hash === versionOf(models) &&
    leftBehind(models, state.inputs).length === 0 &&
    state.load_id >= (await newestChange(warehouse)) &&
    (await areSameChains(warehouse, state.inputs));
  if (!isBuilt)
    throw new FirnError(
      'usage',
      'Rows, chains or models are newer than the last build, so metrics would miss what is dropped. Run "firn build" first, and repair any model that it reports as failing.',
    );
  const served = tablesOf(catalogue.filter(({ revisions }) => revisions !== undefined));
  const needed = new Set([...rawNeededWhole(models), ...served.map(({ name }) => name)]);
  const inputs = inputsOf(models);
  const ofBlocks = new Set(models.filter(isByBlocks).flatMap(({ name }) => [...(inputs.get(name) ?? [])]));
  return dropPartitions(warehouse, { ...options, needed, ofBlocks, layouts: layoutsOf(catalogue, models) });
}
