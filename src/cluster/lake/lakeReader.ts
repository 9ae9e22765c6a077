import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/sqlText.ts';
import type { Reader } from '../../publish/openReader.ts';
import type { Settings } from '../../run/settings.ts';
import type { Engine } from '../contract.ts';
import { publishedName } from '../engine/relationSchemas.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import { lakeQuery } from './lakeQuery.ts';
import { relationTable } from './noteRelations.ts';

/**
 * The readers' views of a cluster. Each view shows the whole of one version; a publish replaces them one after the other.
 *
 * @throws FirnError `not_found` when nothing was published yet · as Trino does
 */
export async function lakeReader(engine: Engine, settings: Pick<Settings, 'engine'>): Promise<Reader> {
  const prefix = publishedName('');
  const { query } = lakeQuery(engine, {
    macros: trinoMacros(),
    views: new Map(),
    // Trino learns the columns of views only by opening each of them.
    table: (name) => engine.name(publishedName(name === 'information_schema.columns' ? relationTable : name)),
  });
  // Asked for one table by name, Trino looks at nothing else in the catalog.
  const [schema, table] = engine.name(publishedName('firn.published')).split('.').map(literal);
  const [published] = await engine.query(
    `SELECT 1 AS one FROM information_schema.tables WHERE table_schema = ${schema} AND table_name = ${table}`,
  );
  // Whoever opened the engine closes it.
  if (published) return { query, close: () => {} };
  throw new FirnError(
    'not_found',
    `Nothing was published in ${engine.name(prefix)}* of the catalog ${settings.engine?.catalog} yet. Run firn worker, and then firn run.`,
  );
}
