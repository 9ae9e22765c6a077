import { changedOf, type PlacedModel } from '../models/model.ts';

type Reader = Pick<PlacedModel, 'name' | 'references' | 'keptAs'>;

/** What each model reads beneath the views that it names: tables, also such as no model makes. Lower-case names. */
export function inputsOf(models: readonly Reader[]): ReadonlyMap<string, ReadonlySet<string>> {
  const views = new Map<string, ReadonlySet<string>>();
  const inputs = new Map<string, ReadonlySet<string>>();
  for (const { name, references, keptAs } of models) {
    const read = new Set(references.flatMap((below) => [...(views.get(below.toLowerCase()) ?? [below.toLowerCase()])]));
    inputs.set(name, read);
    if (keptAs.kind === 'view') views.set(name.toLowerCase(), read);
  }
  return inputs;
}

/** What a table held before a build, as the SELECTs of a header name it. */
export const beforeOf = (table: string): string => table.replace(/^\w+\./, 'temp.before_');

/** Whether the header of a model compares a table with what it held before. */
export const compares = (model: Pick<Reader, 'keptAs'>, table: string): boolean =>
  changedOf(model).some(([, sql]) => sql.includes(beforeOf(table)));

/**
 * The models whose headers tell all that may have changed in them: beneath them rows were only added, but for tables that they compare.
 *
 * @param isGrown whether rows were only added to a relation, by its lower-case name
 */
export function toldModels<T extends Reader>(models: readonly T[], isGrown: (relation: string) => boolean): T[] {
  const inputs = inputsOf(models);
  return models.filter((model) => {
    const beneath = [...(inputs.get(model.name) ?? [])];
    return changedOf(model).length > 0 && beneath.every((input) => isGrown(input) || compares(model, input));
  });
}

/**
 * The tables of models that show what they showed, since nothing beneath them changed. Lower-case names.
 *
 * @param models in building order
 * @param hasChangedBlocks whether blocks changed, which all tables follow that are not built whole
 * @param isSame whether a relation that no model makes, by its lower-case name, holds what it held when the tables were built
 */
export function stayingTables(
  models: readonly Reader[],
  hasChangedBlocks: boolean,
  isSame: (relation: string) => boolean,
): ReadonlySet<string> {
  const inputs = inputsOf(models);
  const made = new Set(models.map(({ name }) => name.toLowerCase()));
  const staying = new Set<string>();
  const stays = ({ name, keptAs }: Reader): boolean => {
    if (keptAs.kind !== 'table') return !hasChangedBlocks;
    return [...(inputs.get(name) ?? [])].every((input) => (made.has(input) ? staying.has(input) : isSame(input)));
  };
  for (const model of models) if (model.keptAs.kind !== 'view' && stays(model)) staying.add(model.name.toLowerCase());
  return staying;
}
