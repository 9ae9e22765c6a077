import { literal } from '../../core/sqlText.ts';
import type { PlacedModel } from '../../transform/model.ts';
import type { Engine, LakeTable, Ledger, PublishedVersion } from '../contract.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { renderingOf } from './buildLake.ts';
import { keptName, newestRows } from './lakeTable.ts';

/** Tables whose snapshots one statement asks for: each is a scan of its own to plan. */
const atOnce = 30;

/** Where readers find `mart.fct_block`: `published_mart.fct_block`. */
export const publishedName = (relation: string): string => `published_${relation}`;

/**
 * Publishes what the tables hold now as one version: its snapshots are noted together, and readers' views name them. Whoever reads a view
 * sees the whole of one version, whatever is applied and built meanwhile; views are replaced one after the other.
 *
 * @param tables tables beside the models that readers see, such as `raw.node_evm_blocks`
 * @throws FirnError where Trino does; nothing is published then
 */
export async function publishLake(
  engine: Engine,
  ledger: Pick<Ledger, 'publish'>,
  models: readonly PlacedModel[],
  tables: readonly LakeTable[],
): Promise<PublishedVersion> {
  const built = models.filter(({ keptAs }) => keptAs.kind !== 'view').map(({ name }) => name);
  const snapshots = await snapshotsOf(engine, [...tables.map(keptName), ...built]);
  const version = await ledger.publish(snapshots);
  await showVersion(engine, version, models, tables);
  return version;
}

/** Makes readers see a version, which may be an older one. */
export async function showVersion(
  engine: Engine,
  version: PublishedVersion,
  models: readonly PlacedModel[],
  tables: readonly LakeTable[],
): Promise<void> {
  const replaced = tables.filter(({ replacedBy }) => replacedBy);
  const own = renderingOf(models);
  const views = new Map([
    ...own.views,
    ...replaced.map((table) => [table.name.toLowerCase(), newestRows(table, keptName(table))] as const),
  ]);
  const table = (name: string) => {
    const snapshot = version.snapshots[name];
    return snapshot === undefined ? name : `${name} FOR VERSION AS OF ${snapshot}`;
  };
  const relations = [...tables, ...models].map(({ name }) => name);
  for (const schema of new Set(relations.map((name) => name.split('.')[0]))) {
    await engine.query(`CREATE SCHEMA IF NOT EXISTS ${publishedName(`${schema}`)}`);
  }
  for (const name of relations) {
    const sql = renderForTrino(`SELECT * FROM ${name}`, { ...own, views, table });
    await engine.query(`CREATE OR REPLACE VIEW ${publishedName(name)} AS ${sql}`);
  }
}

/** The newest snapshot of each table, as the text of its digits. */
async function snapshotsOf(engine: Engine, tables: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let at = 0; at < tables.length; at += atOnce) {
    const each = tables.slice(at, at + atOnce).map((name) => {
      const [schema, table] = name.split('.');
      return `SELECT ${literal(name)} AS name, CAST(snapshot_id AS VARCHAR) AS snapshot FROM ${schema}."${table}$refs" WHERE name = 'main'`;
    });
    for (const { name, snapshot } of await engine.query<{ name: string; snapshot: string }>(each.join(' UNION ALL '))) {
      found[name] = snapshot;
    }
  }
  return found;
}
