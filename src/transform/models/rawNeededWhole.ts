import type { PlacedModel } from './model.ts';

/**
 * The raw tables from which some table is rebuilt in every build, or of which a view shows all: old rows gone from them would be missing there.
 * Tables kept by hour, bucket or first occurrence already hold what they need of their raw rows.
 */
export function rawNeededWhole(models: readonly PlacedModel[]): ReadonlySet<string> {
  const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const model = byName.get(name);
    if (model && model.keptAs.kind !== 'view' && model.keptAs.kind !== 'table') return;
    for (const reference of model?.references ?? []) visit(reference.toLowerCase());
  };
  for (const model of models.filter(({ isWhole }) => isWhole)) visit(model.name.toLowerCase());
  return new Set([...seen].filter((name) => name.startsWith('raw.')));
}
