import type { Statements } from '../../load/database/transaction.ts';
import { beforeOf, compares } from '../changes/inputsOf.ts';
import { changedOf, type PlacedModel } from '../models/model.ts';
import { aboutModel, inHeader } from '../models/modelError.ts';
import { withScope } from '../scope.ts';
import { insertModel } from './insertModel.ts';

/** So many keys are looked up: each scan holds a list of its own, and 66,000 of a million UTXOs take half of what all of them do. */
const fewKeys = 100_000n;

/**
 * Replaces the rows of a table that newer loads may have changed, as its header says which. Beneath it, rows were only added.
 *
 * @param since the last load that the table holds
 * @returns `same` where none may have changed, `unknown` where that cannot be told: then nothing was done
 */
export async function buildChanged(
  warehouse: Statements,
  model: PlacedModel,
  since: bigint,
): Promise<'same' | 'changed' | 'unknown'> {
  const changed = changedOf(model);
  const [[key] = ['']] = changed;
  const isChanged = `"${key}" IN (SELECT unnest(getvariable('firn_${key}')))`;
  try {
    for (const [column, sql] of changed) {
      // A list with a NULL is none: it would leave out what all of them are.
      const list = `SELECT CASE WHEN count(*) = count("${column}") THEN coalesce(list(DISTINCT "${column}"), []) END FROM (${sql}\n)`;
      await aboutModel(inHeader(model, column), () =>
        withScope(warehouse, { firn_audited_load: since }, () =>
          warehouse.run(`SET VARIABLE firn_${column} = (${list})`),
        ),
      );
      if (column !== key) continue;
      const [keys] = await warehouse.query<{ size: bigint | null }>(`SELECT len(getvariable('firn_${key}')) AS size`);
      if (keys?.size === 0n) return 'same';
      if (!keys?.size || keys.size > fewKeys) return 'unknown';
    }
    await warehouse.run(`DELETE FROM ${model.name} WHERE ${isChanged}`);
    await insertModel(warehouse, { ...model, sql: `FROM (${model.sql}\n) WHERE ${isChanged}` });
    return 'changed';
  } finally {
    const unset = changed.map(([column]) => `RESET VARIABLE firn_${column}`);
    await warehouse.run(unset.join('; ')).catch(() => {});
  }
}

/** Does its work with copies of the tables that the headers of models, `told`, compare with what they held before. */
export async function withCompared(
  warehouse: Statements,
  models: readonly PlacedModel[],
  told: readonly PlacedModel[],
  work: () => Promise<void>,
): Promise<void> {
  const compared = models.filter(({ name }) => told.some((model) => compares(model, name)));
  for (const { name } of compared)
    await warehouse.run(`CREATE OR REPLACE TEMP TABLE ${beforeOf(name)} AS FROM ${name}`);
  await work();
  for (const { name } of compared) await warehouse.run(`DROP TABLE ${beforeOf(name)}`);
}
