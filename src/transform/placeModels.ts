import { createHash } from 'node:crypto';
import { FirnError } from '../core/firnError.ts';
import type { Statements } from '../load/transaction.ts';
import type { Model, PlacedModel } from './model.ts';
import { placeOf } from './modelError.ts';
import { modelOrder } from './modelOrder.ts';
import { modelReferences } from './modelReferences.ts';

/** Models in building order, each with what it reads and its version: the hash of its SQL and of every model under it. */
export async function placeModels(warehouse: Statements, models: readonly Model[]): Promise<PlacedModel[]> {
  const read = await modelReferences(
    warehouse,
    models.map((model) => ({ ...model, place: placeOf(model) })),
  );
  const referring = models.map((model) => {
    const found = read.get(model.name) ?? [];
    return found instanceof FirnError
      ? { ...model, references: [], problem: found }
      : { ...model, references: found, problem: null };
  });
  const hashes = new Map<string, string>();
  return modelOrder(referring).map((model) => {
    const below = model.references.map((name) => hashes.get(name.toLowerCase()) ?? name);
    const hash = createHash('sha256')
      .update([withoutLayout(model.sql), ...below].join('\n'))
      .digest('hex');
    hashes.set(model.name.toLowerCase(), hash);
    return { ...model, hash };
  });
}

/** Comments and line breaks do not make another version. */
const withoutLayout = (sql: string) =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
