import type { Model } from '../../src/transform/models/model.ts';
import { readModels } from '../../src/transform/models/readModels.ts';

/** Models and every model under them: what tests of them need to build. */
export async function modelsUnder(names: readonly string[]): Promise<Model[]> {
  const byName = new Map((await readModels()).map((model) => [model.name, model]));
  const needed = new Set<Model>();
  const take = (name: string): void => {
    const model = byName.get(name);
    if (!model || needed.has(model)) return;
    needed.add(model);
    for (const [, reference = ''] of model.sql.matchAll(/(?:FROM|JOIN)\s+((?:staging|mart|firn)\.\w+)/g))
      take(reference);
  };
  // Changes are looked for in these.
  for (const name of [...names, 'mart.fct_block', 'staging.evm_change', 'staging.evm_block', 'firn.coverage'])
    take(name);
  return [...needed];
}

/** `mart.metric` and every model under it. */
export async function metricModels(): Promise<Model[]> {
  const metrics = (await readModels()).filter(({ metric }) => metric);
  return modelsUnder(['mart.metric', ...metrics.map(({ name }) => name)]);
}
