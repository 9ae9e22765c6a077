import type { PlacedModel } from '../../transform/model.ts';
import { aboutModel } from '../../transform/modelError.ts';
import type { Engine } from '../contract.ts';
import type { Rendering } from '../render/renderForTrino.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { trinoMacros } from '../render/trinoMacros.ts';

/** How statements over these models are rendered. */
export const renderingOf = (models: readonly PlacedModel[]): Rendering => ({
  macros: trinoMacros(),
  views: new Map(
    models.flatMap(({ name, sql, keptAs }) => (keptAs.kind === 'view' ? [[name.toLowerCase(), sql] as const] : [])),
  ),
});

/**
 * Builds every model that is kept as a table anew, each in one commit, in the order of their references. Readers of a published version see
 * nothing of it.
 *
 * @throws FirnError with the model's file and line
 */
export async function buildLake(
  engine: Engine,
  models: readonly PlacedModel[],
  log?: (message: string) => void,
): Promise<void> {
  const rendering = renderingOf(models);
  for (const model of models.filter(({ keptAs }) => keptAs.kind !== 'view')) {
    const begun = performance.now();
    await aboutModel(model, () => engine.build(model.name, renderForTrino(model.sql, rendering)));
    log?.(`${model.name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
}
