import type { Unresolved } from '../../core/unresolved.ts';
import { queryHeldBack } from '../../load/bookkeeping/unresolved.ts';
import type { Reader } from '../../publish/reader/openReader.ts';
import type { Settings } from '../../run/settings.ts';
import { openEngine } from '../engine/openEngine.ts';
import type { Sql } from '../ledger/control.ts';
import { isSetUp } from '../ledger/isSetUp.ts';
import { openControl } from '../ledger/openControl.ts';
import { type ClusterProgress, readOutcomes, readProgress } from '../ledger/readProgress.ts';
import { clusterOf } from '../openCluster.ts';
import { renderingOf } from './cut.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { lakeQuery } from './lakeQuery.ts';
import { lakeReader } from './lakeReader.ts';
import { unresolvedOf } from './unresolvedOf.ts';

/** What a cluster tells of itself, published or not. */
export interface LakeView {
  /** What is published. @throws FirnError `not_found` when nothing was yet */
  reader(): Promise<Reader>;
  unresolved(): Promise<Unresolved>;
  progress(): Promise<ClusterProgress>;
  /** What became of partitions, as `readOutcomes` says. */
  outcomes(): ReturnType<typeof readOutcomes>;
  /** Asks PostgreSQL alone: the number of the newest version, 0 before the first, and a text that changes with what is unresolved and what failed. */
  state(): Promise<{ readonly version: number; readonly unresolved: string }>;
  close(): Promise<void>;
}

/** Opens a cluster to look at it. It is not asked anything yet. @throws FirnError `config`, `unavailable`, `unauthorized` */
export async function openLakeView(settings: Settings): Promise<LakeView> {
  const opened = await openControl(clusterOf(settings).control, { connections: 1, migrates: false });
  const control = ofWorkers(opened);
  const engine = openEngine(settings, { root: '' });
  return {
    reader: () => lakeReader(engine, settings),
    async unresolved() {
      const isHeld = await heldRelations(engine);
      const { query } = lakeQuery(engine, renderingOf(engine, []));
      return unresolvedOf(control, isHeld('firn.held_back') ? await queryHeldBack({ query }) : []);
    },
    progress: () => readProgress(control),
    outcomes: () => readOutcomes(control),
    async state() {
      const [row] = await control.query<{ version: number; unresolved: string }>(
        `SELECT (SELECT coalesce(max(id), 0)::integer FROM firn.version) AS version, concat_ws(' ',
           (SELECT content FROM firn.own_table WHERE name = 'firn.held_back'),
           (SELECT concat_ws(' ', count(*), count(replayed_at), count(accepted_at), max(last_seen_at)) FROM firn.quarantine),
           (SELECT md5(string_agg(concat_ws(' ', stream, partition, to_jsonb(p) ->> 'outcome', problem), ',' ORDER BY id)) FROM firn.part AS p
             WHERE (beside IS NULL OR first_position IS NOT NULL) AND (first_position IS NULL OR to_jsonb(p) ->> 'outcome' = 'failed'))) AS unresolved`,
      );
      return row ?? { version: 0, unresolved: '' };
    },
    async close() {
      await engine.close();
      await opened.close();
    },
  };
}

/** A control database that holds nothing before the first worker has set it up. */
function ofWorkers(control: Sql): Sql {
  let isThere = false;
  return {
    async query(text, values) {
      isThere ||= await isSetUp(control);
      return isThere ? control.query(text, values) : [];
    },
  };
}
