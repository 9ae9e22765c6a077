import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { keepLabels } from '../../load/bookkeeping/keepLabels.ts';
import { queryHeldBack } from '../../load/bookkeeping/unresolved.ts';
import { readBegun } from '../../load/commit/begun.ts';
import type { PhaseOptions } from '../../run/phases/phaseOptions.ts';
import type { RunPlace, Session } from '../../run/phases/session.ts';
import { countBuild } from '../../run/phases/steps.ts';
import { whenFree } from '../../run/whenFree.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import { type FailedRows, runAudits } from '../../transform/audits/runAudits.ts';
import type { BrokenModel } from '../../transform/builds/buildModels.ts';
import { holdBack, readHeldBack, unknownProtected } from '../../transform/heldBack.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { judge, reconcileReferences } from '../../transform/reconcile/reconcile.ts';
import { writeVerdicts } from '../../transform/reconcile/writeVerdicts.ts';
import { applyPending } from '../engine/applyPending.ts';
import { filledTables, keptName } from '../engine/lakeTable.ts';
import { readTasks } from '../ledger/readTasks.ts';
import { dialectProblems } from '../render/dialectProblems.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { adoptLake } from './adoptLake.ts';
import { auditScopes, forgetFailed } from './auditScopes.ts';
import { buildLake } from './buildLake.ts';
import { changeOldRows } from './changeOldRows.ts';
import { renderingAt, replacedIn, sameIn, takeCut } from './cut.ts';
import { ensureLakeTables } from './ensureLakeTables.ts';
import { forgetsGaps } from './forgetsGaps.ts';
import { isStillThere, type LastBuild, remembered } from './lakeChanges.ts';
import { lakeQuery } from './lakeQuery.ts';
import { lakeVersion } from './lakeVersion.ts';
import { noteRelations, relationTable } from './noteRelations.ts';
import { type Lake, openLake } from './openLake.ts';
import {
  appendLoads,
  carryTables,
  ensureOwnTables,
  fillFromLedger,
  fillKept,
  givenTables,
  ownTables,
} from './ownTables.ts';
import { publishLake } from './publishLake.ts';
import { refuseOlder } from './refuseOlder.ts';
import { timeByControl } from './timeByControl.ts';
import { unresolvedOf } from './unresolvedOf.ts';
import { whileHeld } from './whileHeld.ts';

/** Audits that run at once: most of the time of each goes into planning. */
const auditsAtOnce = 4;

/** Where the phases of a run do their work when the configuration names a cluster: on its engine. What a sync reads, workers do. */
export async function openLakePlace({
  settings,
  catalogue,
  actions = [],
  signal,
  waitMs = 0,
  listener,
}: PhaseOptions): Promise<RunPlace> {
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
      build: alone(build),
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
    if (!(error instanceof FirnError) || error.code !== 'failed') throw error;
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
    `${who} builds or publishes${since}. Wait for it to end, and run again; of one that was killed no more is known after a minute.`,
  );
}

/** Applies what workers have staged. A table that cannot be applied is told of, and everything is built without the loads that wait for it. */
async function apply({ engine, ledger, tables }: Lake, { fail }: Session): Promise<void> {
  const known = new Map(filledTables(tables).map((table) => [table.name, table]));
  await applyPending(engine, ledger, (name) => known.get(name), undefined, fail);
}

/** Builds the models and audits what came of them; what an audit that blocks protects is held back. */
async function build(lake: Lake, { options, project, run, outcome, count, fail }: Session): Promise<void> {
  const { engine, workbench, builds, tables } = lake;
  const { signal, log } = options;
  const { models: files = await readModels(), audits: claims = await readAudits() } = options;
  refuseDialect(files, claims);
  await refuseReferences(project.settings.warehouse);
  const models = await placeModels(workbench, files);
  const modelsHash = lakeVersion(models);
  refuseOlder(await builds.last(), modelsHash, options);
  await ensureLakeTables(engine, filledTables(tables));
  await changeOldRows(lake);
  const last = await builds.last();
  const loads = await builds.unbuilt();
  await builds.begin(modelsHash);
  await keepLabels(workbench, project.settings.labels ?? []);
  await adoptLake(lake, [...options.catalogue, ...(options.actions ?? [])]);
  await ensureOwnTables(lake);
  await noteModels(lake, models);
  // Workers have read on since the command began: what is open, and what may be missing, is to fit these loads.
  await fillFromLedger(lake, loads);
  await carryTables(lake, [...givenTables, 'firn.model']);
  await appendLoads(lake, loads);
  const read = [...filledTables(tables), ...givenTables.map((name) => ({ name, columns: [] }))];
  const cut = await takeCut(engine, builds, read, loads);
  const rendering = renderingAt(engine, models, tables, cut, await replacedIn(engine, tables, cut));
  const isCompared = last?.modelsHash === modelsHash && (await isStillThere(engine, last));
  const since = isCompared ? { loads, last, isSame: sameIn(read, cut, last) } : undefined;
  const broken: BrokenModel[] = [];
  outcome.models = await buildLake({
    engine,
    models,
    rendering,
    since,
    onBroken: (model) => broken.push(model),
    signal,
    log: (message) => log.debug({}, message),
  });
  const leftOut = new Set(broken.flatMap((model) => [...model.leftOut]));
  // What audits passed over as no chain's, or as known to be missing, is looked at, with all else.
  const looksAtNew = since?.isSame('firn.chain') && !(await forgetsGaps(engine, since.last, cut));
  const scopeOf = looksAtNew ? await auditScopes(workbench, loads) : () => ({});
  const audits = await runAudits(workbench, {
    runId: run.runId,
    leftOut,
    audits: claims,
    atOnce: auditsAtOnce,
    look: (audit) => look(lake, audit, (sql) => renderForTrino(sql, { ...rendering, scope: scopeOf(audit) })),
  });
  outcome.audits = audits;
  await forgetFailed(workbench, claims, audits);
  outcome.heldBack = await holdBack(workbench, broken, audits, { models: files, audits: claims });
  await noteModels(lake, models, outcome.models);
  await carryTables(lake, ['firn.audit', 'firn.audit_state', 'firn.held_back', 'firn.model']);
  // Without the tables that tell what changed, the next build takes up these loads again.
  if (!remembered.some((name) => leftOut.has(name))) {
    const snapshots = { ...cut.snapshots, ...(await engine.snapshots(remembered)) };
    await builds.finish(loads, { ...cut, modelsHash, snapshots, behind: [...leftOut] });
  }
  countBuild({ count, fail }, broken, audits);
  for (const error of await unknownProtected(workbench, [...claims, ...audits], files)) fail(error);
}

/** Notes the version of every model, and what was built of it: readers and `mart.metric` itself ask for them. */
async function noteModels(
  { workbench }: Lake,
  models: readonly PlacedModel[],
  built: Session['outcome']['models'] = [],
): Promise<void> {
  const done = new Map(built.map((model) => [model.name, model]));
  const rows = models.map(({ name, hash }) => {
    const { rows: count = 0, seconds = 0 } = done.get(name) ?? {};
    return `(${literal(name)}, ${literal(hash)}, now()::TIMESTAMP, ${count}, ${seconds})`;
  });
  await workbench.run(`DELETE FROM firn.model; INSERT INTO firn.model VALUES ${rows.join(', ')}`);
}

/** @throws FirnError `config` where CSV files lie beside the state of this machine: no other machine would see them */
async function refuseReferences(warehouse: string): Promise<void> {
  const folder = join(warehouse, 'refs');
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.csv'));
  if (files.length === 0) return;
  throw new FirnError(
    'config',
    `A cluster reads no CSV files of references, and ${folder} holds ${files.join(', ')}. Make tables of them in a catalog of your Trino, ` +
      'name these in your models, and move the files away.',
  );
}

/** @throws FirnError `config` for models and audits that Trino would read otherwise, with file, line and what to write */
function refuseDialect(models: readonly Pick<PlacedModel, 'file' | 'line' | 'sql'>[], audits: readonly Audit[]): void {
  const found = [...models, ...audits].flatMap(({ file, line, sql }) =>
    dialectProblems(sql).map((problem) => `${file}:${line + problem.line - 1}: ${problem.problem}.`),
  );
  if (found.length === 0) return;
  throw new FirnError('config', `DuckDB and Trino do not read this alike, so nothing was built:\n${found.join('\n')}`);
}

async function look({ engine }: Lake, { sql }: Audit, words: (sql: string) => string): Promise<FailedRows> {
  const [row] = await engine.query<{ failed: bigint }>(words(`SELECT count(*) AS failed FROM (${sql}\n) AS found`));
  if (!row || row.failed === 0n) return { failed: 0n, example: null, relations: null };
  const rows = await engine.query<Record<string, unknown>>(words(`SELECT * FROM (${sql}\n) AS found LIMIT 3`));
  const named =
    'relation' in (rows[0] ?? {})
      ? await engine.query<{ relation: string }>(words(`SELECT DISTINCT relation FROM (${sql}\n) AS found`))
      : [];
  return {
    failed: row.failed,
    example: JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    relations: named.length > 0 ? named.map(({ relation }) => relation).join(' ') : null,
  };
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
        `${file}:${line}: ${error.message} Readers do not see this version of ${name}; all else was published.`,
      ),
    );
  };
  const version = await publishLake(engine, ledger, {
    models,
    tables: shown,
    own: ownTables,
    cut,
    held,
    before,
    onRefused,
  });
  const written = Object.entries(version.snapshots).filter(([table, id]) => before?.snapshots[table] !== id).length;
  const [sum] = await workbench.query<{ rows: bigint }>(
    'SELECT coalesce(sum("rows"), 0)::BIGINT AS rows FROM firn.model',
  );
  const { catalog, schema } = project.settings.engine as NonNullable<typeof project.settings.engine>;
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
