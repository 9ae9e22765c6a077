/**
 * Models in an order in which each comes after those it reads. Other references (raw tables, bookkeeping) do not matter.
 *
 * @param models none of which reads itself by way of others
 */
export function modelOrder<T extends { readonly name: string; readonly references: readonly string[] }>(
  models: readonly T[],
): T[] {
  const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
  const ordered = new Set<T>();
  const visit = (model: T): void => {
    if (ordered.has(model)) return;
    for (const reference of model.references) {
      const below = byName.get(reference.toLowerCase());
      if (below) visit(below);
    }
    ordered.add(model);
  };
  for (const model of models) visit(model);
  return [...ordered];
}
