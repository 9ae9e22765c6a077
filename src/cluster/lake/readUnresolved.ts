import type { Unresolved } from '../../core/unresolved.ts';
import { queryHeldBack } from '../../load/unresolved.ts';
import type { Settings } from '../../run/settings.ts';
import { openEngine } from '../engine/openEngine.ts';
import { openControl } from '../ledger/openControl.ts';
import { clusterOf } from '../openCluster.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { lakeQuery } from './lakeQuery.ts';
import { unresolvedOf } from './unresolvedOf.ts';

/** What is unresolved in a cluster now, published or not. @throws FirnError as PostgreSQL and Trino do */
export async function readUnresolved(settings: Settings): Promise<Unresolved> {
  const control = await openControl(clusterOf(settings).control, { connections: 1, migrates: false });
  const engine = openEngine(settings, { root: '' });
  try {
    const isThere = (await heldRelations(engine)).has(engine.name('firn.held_back'));
    const { query } = lakeQuery(engine, { macros: trinoMacros(), views: new Map(), table: engine.name });
    return await unresolvedOf(control, isThere ? await queryHeldBack({ query }) : []);
  } finally {
    await engine.close();
    await control.close();
  }
}
