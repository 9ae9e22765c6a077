import { FirnError } from '../../core/firnError.ts';
import type { Reader } from '../../publish/openReader.ts';
import type { Settings } from '../../run/settings.ts';
import type { Engine } from '../contract.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import { lakeQuery } from './lakeQuery.ts';
import { publishedName } from './publishLake.ts';

/**
 * The readers' views of a cluster. Each view shows the whole of one version; a publish replaces them one after the other.
 *
 * @throws FirnError `not_found` when nothing was published yet · as Trino does
 */
export async function lakeReader(engine: Engine, settings: Pick<Settings, 'engine'>): Promise<Reader> {
  const schemas = engine.name(publishedName(''));
  // What readers know of is named as on one machine.
  const columns = `(SELECT DISTINCT substr(table_schema, ${schemas.length + 1}) AS table_schema, table_name, column_name, ordinal_position, data_type
    FROM information_schema.columns WHERE ${ownSchemas(engine, 'table_schema', publishedName(''))})`;
  const { query } = lakeQuery(engine, {
    macros: trinoMacros(),
    views: new Map(),
    table: (name) => (name === 'information_schema.columns' ? columns : engine.name(publishedName(name))),
  });
  const [published] = await query(
    `SELECT 1 AS one FROM information_schema.columns WHERE table_schema = 'firn' AND table_name = 'published' LIMIT 1`,
  );
  // What opened the engine closes it.
  if (published) return { query, close: () => {} };
  throw new FirnError(
    'not_found',
    `Nothing was published in ${schemas}* of the catalog ${settings.engine?.catalog} yet. Run firn worker, and then firn run.`,
  );
}
