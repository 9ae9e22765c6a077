import { FirnError, hasCode } from '../../core/firnError.ts';
import { queryHeldBack } from '../../load/bookkeeping/unresolved.ts';
import { readBegun } from '../../load/commit/begun.ts';
import type { PhaseOptions, RunPlace, Session } from '../../run/phases/phaseOptions.ts';
import { clusterPart } from '../../run/settings.ts';
import { whenFree } from '../../run/whenFree.ts';
import { readHeldBack } from '../../transform/heldBack.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { judge, reconcileReferences } from '../../transform/reconcile/reconcile.ts';
import { writeVerdicts } from '../../transform/reconcile/writeVerdicts.ts';
import { applyPending } from '../engine/applyPending.ts';
import { filledTables, keptName } from '../engine/lakeTable.ts';
import { readTasks } from '../ledger/readTasks.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { buildPhase } from './buildPhase.ts';
import { renderingAt, replacedIn } from './cut.ts';
import type { LastBuild } from './lakeCut.ts';
import { lakeQuery } from './lakeQuery.ts';
import { lakeVersion } from './lakeVersion.ts';
import { noteRelations, relationTable } from './noteRelations.ts';
import { type Lake, openLake } from './openLake.ts';
import { carryTables, fillKept, ownTables } from './ownTables.ts';
import { publishLake } from './publishLake.ts';
import { refuseOlder } from './refuseOlder.ts';
import { timeByControl } from './timeByControl.ts';
import { unresolvedOf } from './unresolvedOf.ts';
import { whileHeld } from './whileHeld.ts';

/** Where the phases of a run do their work when the configuration names a cluster: on its engine. What a sync reads, workers do. */
export async function openLakePlace(options: PhaseOptions): Promise<RunPlace> {
  const { settings, catalogue, actions = [], signal, waitMs = 0, listener } = options;
  const lake = await openLake(settings, [...catalogue, ...actions], signal);
  /** One command at a time changes what was built: of two, the one with the older cut would take rows of the newer one away again. */
  const alone = (work: (lake: Lake, session: Session) => Promise<void>) => async (session: Session) => {
    const once = () =>
      lake.ledger.alone('build', async (assertHeld) => {
        await endEarlier(lake, session);
        // Another one may have built since this command began, and found what holds its tables back.
        await fillKept(lake);
        session.outcome.heldBack = await readHeldBack(lake.workbench);
        await work(whileHeld(lake, assertHeld), session);
        return true;
      });
    await whenFree(async () => (await once()) ?? buildsNow(lake), { waitMs, signal, onWait: listener?.waiting });
  };
  return {
    project: { settings, declared: [], warehouse: lake.workbench },
    works: {
      sync: (session) => apply(lake, session),
      build: alone(buildPhase),
      reconcile: alone(reconcile),
      publish: alone(publish),
    },
    unresolved: async () => unresolvedOf(lake.control, await queryHeldBack(lake.workbench)),
    close: () => lake.close(),
  };
}

/** What a process left running that was killed, or stands still, would be committed after what is built now. */
async function endEarlier({ engine }: Pick<Lake, 'engine'>, { options: { log } }: Session): Promise<void> {
  try {
    const ended = await engine.endChanges();
    if (ended > 0) log.warn({}, `Ended ${ended} statements of an earlier build that Trino still ran.`);
  } catch (error) {
    if (!hasCode(error, 'failed')) throw error;
    log.warn({}, `Whether Trino still runs statements of an earlier build is not known: ${error.message}`);
  }
}

/** The error of a build or publish while another one is under way. */
async function buildsNow({ control }: Pick<Lake, 'control'>): Promise<FirnError> {
  const task = (await readTasks(control)).find(({ name }) => name === 'build');
  const who = task?.owner ? `Process ${task.owner}` : 'Another process';
  const since = task?.since ? ` since ${task.since}` : '';
  return new FirnError(
    'locked',
    `${who} builds or publishes${since}. Wait for it to end, and run again. If it was killed, that is noticed after a minute.`,
  );
}

/** Applies what workers have staged. A table that cannot be applied is told of, and everything is built without the loads that wait for it. */
async function apply(lake: Lake, { fail, options: { log } }: Session): Promise<void> {
  await applyPending({ ...lake, failed: fail, warn: (sentence) => log.warn({}, sentence) });
}

/** Compares what was recomputed with what was served. */
async function reconcile(lake: Lake, { options, outcome, count }: Session): Promise<void> {
  const { engine, workbench, tables } = lake;
  if (outcome.heldBack.some(({ relation }) => relation === 'mart.reconciliation')) return;
  const files = options.models ?? (await readModels());
  const models = await placeModels(workbench, files);
  const last = await wholeBuild(lake, models, options);
  const rendering = renderingAt(engine, models, tables, last, await replacedIn(engine, tables, last));
  await workbench.run('DELETE FROM mart.reconciliation');
  outcome.reconciliation = await judge(
    {
      ...lakeQuery(engine, rendering),
      begun: await readBegun(workbench.query),
      write: (series, verdicts) => workbench.transaction((tx) => writeVerdicts(tx, series, verdicts)),
      replace: (table, sql) => engine.build(table, renderForTrino(sql, rendering)),
      show: () => carryTables(lake, ['mart.reconciliation']),
    },
    { models: files },
  );
  if (outcome.reconciliation.differs > 0) count(3);
}

/** Makes a version for readers of the tables as they are; what is held back stays as the version before shows it. */
async function publish(lake: Lake, session: Session): Promise<void> {
  const { engine, ledger, workbench, tables } = lake;
  const { options, project, outcome } = session;
  const before = await ledger.version();
  const held = new Set(outcome.heldBack.map(({ relation }) => relation.toLowerCase()));
  const models = await placeModels(workbench, options.models ?? (await readModels()));
  const cut = await wholeBuild(lake, models, options);
  await session.noteReport();
  await timeByControl(lake, session.run.runId);
  const read = new Set([
    ...models.flatMap(({ references }) => references),
    ...[...reconcileReferences.values()].flat(),
  ]);
  const shown = tables.filter(
    (table) => read.has(table.name) || filledTables([table]).some((one) => cut.snapshots[keptName(one)] !== undefined),
  );
  await noteRelations(
    workbench,
    models,
    [...shown, ...ownTables].map(({ name }) => name),
  );
  await carryTables(lake, ['firn.run', relationTable]);
  const onRefused = (name: string, error: FirnError) => {
    const { file = name, line = 1 } = models.find((model) => model.name === name) ?? {};
    session.fail(
      new FirnError(
        'failed',
        `${file}:${line}: ${error.message} Readers do not see this version of ${name}; everything else was published.`,
      ),
    );
  };
  const publishing = { models, tables: shown, own: ownTables, cut, held, before, onRefused };
  const version = await publishLake(engine, ledger, publishing);
  const written = Object.entries(version.snapshots).filter(([table, id]) => before?.snapshots[table] !== id).length;
  const [sum] = await workbench.query<{ rows: bigint }>(
    'SELECT coalesce(sum("rows"), 0)::BIGINT AS rows FROM firn.model',
  );
  const { catalog, schema } = clusterPart(project.settings, 'engine');
  outcome.published = {
    version: version.id,
    isNew: true,
    written,
    reused: Object.keys(version.snapshots).length - written,
    removed: 0,
    rows: Number(sum?.rows),
    bytes: 0,
    folder: '',
    parquet: '',
    readerDatabase: `${catalog}.${schema}_published_*`,
  };
}

/**
 * The build that made the tables of these models.
 *
 * @throws FirnError `failed` where they may not fit together, or show other models · `newer_warehouse` where those are of a newer firn
 */
async function wholeBuild({ builds }: Lake, models: readonly PlacedModel[], options: PhaseOptions): Promise<LastBuild> {
  const last = await builds.last();
  const modelsHash = lakeVersion(models);
  if (last?.isWhole && last.modelsHash === modelsHash) return last;
  refuseOlder(last, modelsHash, options);
  const builder = last?.firnVersion ? `firn ${last.firnVersion} on ${last.machine}` : 'Another firn';
  throw new FirnError(
    'failed',
    last?.isWhole
      ? `${builder} built the tables by other models than these, or rows beneath them were changed since. Run firn build.`
      : 'No build has come to its end since one began, so the tables may not fit together. Run firn build.',
  );
}
