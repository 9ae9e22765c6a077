import { FirnError } from '../../core/firnError.ts';

interface Referring {
  readonly name: string;
  readonly references: readonly string[];
}

/**
 * Models in an order in which each comes after those it reads. Other references (raw tables, bookkeeping) do not matter.
 *
 * @throws FirnError `failed` with the path of a cycle
 */
export function modelOrder<T extends Referring>(models: readonly T[]): T[] {
  const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
  const ordered = new Set<T>();
  const visit = (model: T, path: readonly string[]): void => {
    if (ordered.has(model)) return;
    if (path.includes(model.name)) {
      const cycle = [...path.slice(path.indexOf(model.name)), model.name].join(' -> ');
      throw new FirnError('failed', `Models read each other in a circle: ${cycle}. Take one of these references out.`);
    }
    for (const reference of model.references) {
      const below = byName.get(reference.toLowerCase());
      if (below) visit(below, [...path, model.name]);
    }
    ordered.add(model);
  };
  for (const model of models) visit(model, []);
  return [...ordered];
}
