import { literal } from '../../core/sqlText.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { PlacedModel } from '../../transform/model.ts';
import type { Engine, LakeTable, Ledger, PublishedVersion } from '../contract.ts';
import { hashOfView, keptName, newestRows } from '../engine/lakeTable.ts';
import { publishedName } from '../engine/relationSchemas.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { renderingOf } from './buildLake.ts';
import { heldRelations, missingTables } from './ensureLakeTables.ts';

/** Views that are written at once. */
const atOnce = 4;

/**
 * Publishes what the tables hold now as one version: its snapshots are noted together, and readers' views name them. Whoever reads a view
 * sees the whole of one version, whatever is applied and built meanwhile; views are replaced one after the other.
 *
 * @param tables tables beside the models that readers see, such as `raw.node_evm_blocks`; those that are not there are seen without rows
 * @throws FirnError where Trino does; where not even the snapshots were noted nothing is published
 */
export async function publishLake(
  engine: Engine,
  ledger: Pick<Ledger, 'publish'>,
  models: readonly PlacedModel[],
  tables: readonly LakeTable[],
): Promise<PublishedVersion> {
  const built = models.filter(({ keptAs }) => keptAs.kind !== 'view').map(({ name }) => name);
  const held = await heldRelations(engine);
  const missing = missingTables(engine, tables, held);
  const there = tables.filter(({ name }) => !missing.has(name.toLowerCase()));
  const version = await ledger.publish(await engine.snapshots([...there.map(keptName), ...built]));
  const replaced = there.filter(({ replacedBy }) => replacedBy);
  const own = renderingOf(engine, models, missing);
  const views = new Map([
    ...own.views,
    ...replaced.map((table) => [table.name.toLowerCase(), newestRows(table, keptName(table))] as const),
  ]);
  const table = (name: string) => {
    const snapshot = version.snapshots[name];
    return snapshot === undefined ? own.table(name) : engine.asOf(name, snapshot);
  };
  // A view of what did not change names the same snapshots already.
  const shown = await engine.shown(publishedName(''));
  await mapAtOnce([...tables, ...models], atOnce, async ({ name }) => {
    const view = publishedName(name);
    const sql = renderForTrino(`SELECT * FROM ${name}`, { ...own, views, table });
    if (shown.get(view.toLowerCase()) !== hashOfView(sql)) await engine.show(view, sql);
  });
  // The last one: whoever finds a version there finds all of it.
  await engine.show(
    publishedName('firn.published'),
    publishedSelect(version.id, timestampText(version.publishedAt), table('firn.model')),
  );
  return version;
}

/** The row that tells of a version, in words that both engines read. @param model how SQL calls `firn.model` */
export const publishedSelect = (version: number, publishedAt: string, model: string): string =>
  `SELECT CAST(${version} AS BIGINT) AS "version", CAST(TIMESTAMP ${literal(publishedAt)} AS TIMESTAMP(6)) AS published_at,
     CAST(0 AS BIGINT) AS files, CAST((SELECT sum("rows") FROM ${model}) AS BIGINT) AS "rows", CAST(0 AS BIGINT) AS bytes`;

/** ISO 8601 of UTC as the text of a TIMESTAMP. */
const timestampText = (moment: string) => moment.replace('T', ' ').replace('Z', '');
