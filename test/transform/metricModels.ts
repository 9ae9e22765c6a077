import type { Model } from '../../src/transform/model.ts';
import { readModels } from '../../src/transform/readModels.ts';

/** `mart.metric` and every model under it: what tests of metrics need to build. */
export async function metricModels(): Promise<Model[]> {
  const byName = new Map((await readModels()).map((model) => [model.name, model]));
  const needed = new Set<Model>();
  const take = (name: string): void => {
    const model = byName.get(name);
    if (!model || needed.has(model)) return;
    needed.add(model);
    for (const [, reference = ''] of model.sql.matchAll(/(?:FROM|JOIN)\s+((?:staging|mart|firn)\.\w+)/g))
      take(reference);
  };
  // Changes are looked for in these two.
  for (const name of ['mart.metric', 'staging.evm_change', 'staging.evm_block']) take(name);
  for (const { name, metric } of byName.values()) if (metric) take(name);
  return [...needed];
}
