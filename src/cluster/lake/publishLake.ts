import { type FirnError, hasCode } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import type { Engine, LakeTable, Ledger, PublishedVersion } from '../contract.ts';
import { filledTables, hashOfView, isHashOfView, keptName, shownName } from '../engine/lakeTable.ts';
import { publishedName } from '../engine/relationSchemas.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { renderingAt, replacedIn } from './cut.ts';
import { heldRelations } from './ensureLakeTables.ts';
import type { LakeCut } from './lakeCut.ts';

/** Views that are written at once. */
const atOnce = 4;

interface Publishing {
  readonly models: readonly PlacedModel[];
  /** Tables of the cut that readers see, such as `raw.node_evm_blocks`; those that are not there are seen without rows. */
  readonly tables: readonly LakeTable[];
  /** Tables of firn's own that readers see as they are now. */
  readonly own: readonly LakeTable[];
  /** What the models were built of. */
  readonly cut: LakeCut;
  /** Relations, by lower-case names, that readers see as the version before shows them, or not at all. */
  readonly held: ReadonlySet<string>;
  /** The newest version; undefined where there is none. */
  readonly before: PublishedVersion | undefined;
  /** Called for a relation that the engine cannot show: its view, if there is one, stays as it was. */
  readonly onRefused: (name: string, error: FirnError) => void;
}

/**
 * Publishes what the tables hold now as one version: its snapshots are noted together, and readers' views name them. Whoever reads a view
 * sees the whole of one version, whatever is applied and built meanwhile; views are replaced one after the other.
 *
 * @throws FirnError where Trino does; where not even the snapshots were noted nothing is published
 */
export async function publishLake(
  engine: Engine,
  ledger: Pick<Ledger, 'publish'>,
  { models, tables, own, cut, held, before, onRefused }: Publishing,
): Promise<PublishedVersion> {
  const isThere = await heldRelations(engine);
  const built = models.filter(({ keptAs }) => keptAs.kind !== 'view');
  const now = [...own, ...built].map(({ name }) => name).filter(isThere);
  const wanted = new Set(filledTables(tables).map(keptName));
  const isHeld = (name: string) => held.has(shownName(name).toLowerCase());
  const snapshots = [
    ...Object.entries(cut.snapshots).filter(([name]) => wanted.has(name)),
    ...Object.entries(await engine.snapshots(now)),
  ];
  const version = await ledger.publish(
    Object.fromEntries([
      ...snapshots.filter(([name]) => !isHeld(name)),
      ...Object.entries(before?.snapshots ?? {}).filter(([name]) => isHeld(name)),
    ]),
  );
  const shows = { ...cut, snapshots: version.snapshots };
  const rendering = renderingAt(engine, models, [...tables, ...own], shows, await replacedIn(engine, tables, shows));
  // A view of what did not change names the same snapshots already.
  const shown = await engine.shown(publishedName(''));
  // Until the next build a newer firn may know of a table that is not there.
  const there = own.filter(({ name }) => isThere(name));
  const seen = [...tables, ...there, ...models].filter(({ name }) => !isHeld(name));
  await mapAtOnce(seen, atOnce, async ({ name }) => {
    const view = publishedName(name);
    const sql = renderForTrino(`SELECT * FROM ${name}`, rendering);
    if (shown.get(view.toLowerCase()) === hashOfView(sql)) return;
    try {
      await engine.show(view, sql);
    } catch (error) {
      // The SQL of a model that is kept as a view is run here for the first time.
      if (!hasCode(error, 'failed')) throw error;
      onRefused(name, error);
    }
  });
  // Views of models and streams that are no more would show their last snapshots for ever.
  const stays = new Set(
    ['firn.published', ...held, ...seen.map(({ name }) => name)].map((name) => publishedName(name).toLowerCase()),
  );
  for (const [view, hash] of shown)
    if (isHashOfView(hash) && !stays.has(view.toLowerCase()))
      await engine.run(`DROP VIEW IF EXISTS ${engine.name(view)}`);
  // The last one: whoever finds a version there finds all of it.
  await engine.show(
    publishedName('firn.published'),
    publishedSelect(version.id, timestampText(version.publishedAt), rendering.table('firn.model')),
  );
  return version;
}

/** The row that tells of a version, in words that both engines read. @param model how SQL calls `firn.model` */
export const publishedSelect = (version: number, publishedAt: string, model: string): string =>
  `SELECT CAST(${version} AS BIGINT) AS "version", CAST(TIMESTAMP ${literal(publishedAt)} AS TIMESTAMP(6)) AS published_at,
     CAST(0 AS BIGINT) AS files, CAST((SELECT sum("rows") FROM ${model}) AS BIGINT) AS "rows", CAST(0 AS BIGINT) AS bytes`;

/** ISO 8601 of UTC as the text of a TIMESTAMP. */
const timestampText = (moment: string) => moment.replace('T', ' ').replace('Z', '');
