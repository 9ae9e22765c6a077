import { hasCode } from '../../core/firnError.ts';
import { queryHeldBack } from '../../load/bookkeeping/unresolved.ts';
import type { Reader } from '../../publish/reader/openReader.ts';
import type { Failure, Watch } from '../../publish/verify/failure.ts';
import { readGaps, readUnread } from '../../publish/verify/knownGaps.ts';
import { type Chain, verifyContinuity } from '../../publish/verify/verifyContinuity.ts';
import type { LakeVerdict } from '../../publish/verify/verifyLake.ts';
import { clusterPart, type Settings } from '../../run/settings.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { againName, batchesName, shownName } from '../engine/lakeTable.ts';
import { columnsByRelation } from '../engine/relationSchemas.ts';
import { lakeReader } from '../lake/lakeReader.ts';
import { refuseRestored } from '../lake/refuseRestored.ts';
import type { Sql } from '../ledger/control.ts';
import { withCluster } from '../withCluster.ts';
import { verifyBatches } from './verifyBatches.ts';
import { verifyNewest } from './verifyNewest.ts';
import { verifySnapshots } from './verifySnapshots.ts';
import { verifyStaged } from './verifyStaged.ts';
import { verifyViews } from './verifyViews.ts';

/**
 * Reads everything again that readers of a cluster see, and what is still to be applied: snapshots and their rows, batches against the ledger,
 * the hashes of staged files, continuity, and what the views name. Changes nothing.
 *
 * @param chains tables whose rows must follow each other
 *
 * @throws FirnError `not_found` when nothing was published yet, `interrupted` · `unavailable`, `unauthorized`
 */
export function verifyCluster(settings: Settings, chains: readonly Chain[], options: Watch = {}): Promise<LakeVerdict> {
  return withCluster(settings, options.signal, ({ control, ledger, stage }, engine) =>
    verifyNewest(ledger, async (version) => {
      const staged = await verifyStaged(control, stage, options);
      const { failures, unreadable, rows, files, bytes, gaps } = await verifyVersion(
        { settings, engine, control, version, chains },
        options,
      );
      const wrong = [
        ...(await verifyTimes(engine, control, settings)),
        ...staged.failures,
        ...failures,
        ...(await verifyBatches(engine, control, version, unreadable)),
      ];
      return {
        ok: wrong.length === 0,
        version: version.id,
        files: files + staged.files,
        bytes: bytes + staged.bytes,
        rows,
        failures: wrong,
        knownGaps: gaps,
      };
    }),
  );
}

interface Verified {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly control: Sql;
  readonly version: PublishedVersion;
  readonly chains: readonly Chain[];
}

/** What is wrong with what a version shows; `unreadable` are tables of which nothing more can be said. */
async function verifyVersion({ settings, engine, control, version, chains }: Verified, options: Watch) {
  const reader = await lakeReader(engine, settings);
  const columns = await columnsOf(reader);
  const held = await verifySnapshots(
    engine,
    Object.entries(version.snapshots).map(([name, snapshot]) => ({
      name,
      snapshot,
      columns: columns.get(shownName(name)) ?? columns.get(name) ?? [],
    })),
    options,
  );
  const gaps = await readGaps(reader, 'firn.gap');
  const past = [...new Set((await queryHeldBack(reader)).map(({ relation }) => relation))];
  const failures: Failure[] = [...held.failures, ...(await verifyViews(engine, control, version, past))];
  // A table that cannot be read says nothing of its rows.
  const bad = new Set(held.failures.map(({ item }) => shownName(item)));
  const readable = [...columns.keys()].flatMap((relation) => {
    const [schema = '', name = ''] = relation.split('.');
    return bad.has(relation) ? [] : [{ schema, name }];
  });
  const unread = await readUnread(reader, 'firn.checkpoint');
  failures.push(...(await verifyContinuity(reader, readable, chains, [...gaps, ...unread])));
  // Of what is held back, batches that came since are not in what readers see.
  const unreadable = new Set([
    ...held.failures.map(({ item }) => item),
    ...past.flatMap((name) => [name, batchesName(name), batchesName(againName(name))]),
  ]);
  return { ...held, failures, unreadable, gaps };
}

/** Whether control database and lake are of one time. */
async function verifyTimes(engine: Engine, control: Sql, settings: Settings): Promise<Failure[]> {
  try {
    const { catalog } = clusterPart(settings, 'engine');
    await refuseRestored(engine, control, catalog);
    return [];
  } catch (error) {
    if (!hasCode(error, 'config')) throw error;
    return [{ check: 'load', item: 'raw', message: error.message }];
  }
}

/** Columns of what readers see, by relation. */
async function columnsOf(reader: Reader): Promise<Map<string, string[]>> {
  const rows = await reader.query<{ relation: string; column_name: string }>(
    `SELECT table_schema || '.' || table_name AS relation, column_name FROM information_schema.columns ORDER BY 1, ordinal_position`,
  );
  return columnsByRelation(rows);
}
