import type { Unresolved } from '../../core/unresolved.ts';
import type { Settings } from '../../run/settings.ts';
import { openEngine } from '../engine/openEngine.ts';
import { openControl } from '../ledger/openControl.ts';
import { clusterOf } from '../openCluster.ts';
import { trinoMacros } from '../render/trinoMacros.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { lakeQuery } from './lakeQuery.ts';
import { unresolvedOf } from './unresolvedOf.ts';

const heldBackSql =
  'SELECT relation, audit, epoch_ms(since) AS since, reason FROM firn.held_back ORDER BY relation, audit';

/** What is unresolved in a cluster now, published or not. @throws FirnError as PostgreSQL and Trino do */
export async function readUnresolved(settings: Settings): Promise<Unresolved> {
  const control = await openControl(clusterOf(settings).control, { connections: 1, migrates: false });
  const engine = openEngine(settings, { root: '' });
  try {
    const isThere = (await heldRelations(engine)).has(engine.name('firn.held_back'));
    const { query } = lakeQuery(engine, { macros: trinoMacros(), views: new Map(), table: engine.name });
    const held = isThere
      ? await query<{ relation: string; audit: string; since: bigint; reason: string }>(heldBackSql)
      : [];
    return await unresolvedOf(
      control,
      held.map((row) => ({ ...row, since: Number(row.since) })),
    );
  } finally {
    await engine.close();
    await control.close();
  }
}
