import { FirnError } from '../../core/firnError.ts';
import type { Reader } from '../../publish/openReader.ts';
import type { Settings } from '../../run/settings.ts';
import type { Engine } from '../contract.ts';
import { ownColumns } from '../engine/relationSchemas.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import { lakeQuery } from './lakeQuery.ts';
import { publishedName } from './publishLake.ts';

/**
 * The readers' views of a cluster. Each view shows the whole of one version; a publish replaces them one after the other.
 *
 * @throws FirnError `not_found` when nothing was published yet · as Trino does
 */
export async function lakeReader(engine: Engine, settings: Pick<Settings, 'engine'>): Promise<Reader> {
  const prefix = publishedName('');
  // What readers know of is named as on one machine.
  const columns = ownColumns(engine, prefix);
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
    `Nothing was published in ${engine.name(prefix)}* of the catalog ${settings.engine?.catalog} yet. Run firn worker, and then firn run.`,
  );
}
