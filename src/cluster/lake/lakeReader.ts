import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { ToPaste } from '../../core/text/toPaste.ts';
import type { Reader } from '../../publish/reader/openReader.ts';
import type { Settings } from '../../run/settings.ts';
import type { Engine } from '../contract.ts';
import { catalogName } from '../engine/catalogName.ts';
import { ownColumns, publishedName } from '../engine/relationSchemas.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { renderingOf } from './cut.ts';
import { lakeQuery } from './lakeQuery.ts';
import { relationTable } from './noteRelations.ts';

/**
 * The readers' views of a cluster. Each view shows the whole of one version; a publish replaces them one after the other.
 *
 * @throws FirnError `not_found` when nothing was published yet · as Trino does
 */
export async function lakeReader(engine: Engine, settings: Pick<Settings, 'engine'>): Promise<Reader> {
  const published = (relation: string) => engine.name(publishedName(relation));
  const views = ['firn.published', relationTable].map((relation) => published(relation).split('.').map(literal));
  // Asked for tables by name, Trino looks at nothing else in the catalog.
  const rows = await engine.query<{ view: string }>(
    `SELECT table_schema || '.' || table_name AS view FROM information_schema.tables
     WHERE ${views.map(([schema, view]) => `(table_schema = ${schema} AND table_name = ${view})`).join(' OR ')}`,
  );
  const held = new Set(rows.map(({ view }) => view));
  if (!held.has(published('firn.published')))
    throw new FirnError(
      'not_found',
      `Nothing was published in ${published('')}* of the catalog ${settings.engine?.catalog} yet. Run firn worker, and then firn run.`,
    );
  // Trino learns the columns of views only by opening each of them: a version says them itself, unless an earlier firn published it.
  const columns = held.has(published(relationTable)) ? published(relationTable) : ownColumns({ name: published });
  const rendering = renderingOf(engine, []);
  const { query } = lakeQuery(engine, {
    ...rendering,
    table: (name) => (name === 'information_schema.columns' ? columns : published(name)),
  });
  // No stored view knows of a reading: its model stands in the statement itself, over the views that others read.
  const toPaste: ToPaste = (sql, reading) =>
    renderForTrino(sql, {
      ...rendering,
      table: (name) => `${catalogName(settings.engine?.catalog ?? '')}.${published(name)}`,
      ...(reading && {
        views: new Map([[reading.name.toLowerCase(), reading.sql]]),
        scope: { firn_variant: reading.variant },
      }),
    });
  // Whoever opened the engine closes it.
  return { query, toPaste, close: () => {} };
}
