import { FirnError, messageOf } from '../../core/firnError.ts';
import { noteGaps } from '../../load/bookkeeping/noteGaps.ts';
import { unconfirmed } from '../../load/commit/batch.ts';
import { hasRelation } from '../../load/database/hasRelation.ts';
import { sha256 } from '../../load/sha256.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { type PublishResult, publish } from '../../publish/publish.ts';
import { refuseLostState } from '../../publish/restored/lostState.ts';
import { refuseOlderState } from '../../publish/restored/refuseOlderState.ts';
import { isWhole } from '../../publish/versions/isWhole.ts';
import { readersText } from '../../publish/versions/readersText.ts';
import { loadReferences } from '../../references/loadReferences.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import { type AuditResult, hasFailed, runAudits } from '../../transform/audits/runAudits.ts';
import { type BrokenModel, buildModels } from '../../transform/builds/buildModels.ts';
import { forgetBuilt } from '../../transform/builds/forgetBuilt.ts';
import { holdBack, holdBackHidden, unknownProtected } from '../../transform/heldBack.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { type ReconcileResult, reconcile, verdictRules } from '../../transform/reconcile/reconcile.ts';
import { layoutsOf } from '../layoutsOf.ts';
import type { Project } from '../openProject.ts';
import { configuredKeys, planStreams } from '../planStreams.ts';
import { dropHistory } from '../upkeep/dropHistory.ts';
import type { Session } from './phaseOptions.ts';

/** Builds the models and audits the results; what a blocking audit protects is held back. */
export async function buildPhase({ options, project, run, isWholeRun, outcome, count, fail }: Session): Promise<void> {
  const { warehouse } = project;
  const { runId } = run;
  const { models = await readModels(), audits: claims = await readAudits() } = options;
  const broken: BrokenModel[] = [];
  await refuseLostState(warehouse);
  // Before models that read them.
  await takeReferences(warehouse, fail);
  await noteGaps(warehouse);
  if (options.rebuild) await forgetBuilt(warehouse);
  outcome.models = await buildModels(warehouse, { models, onBroken: (model) => broken.push(model) });
  const state = `${await stateText(warehouse)} ${sha256(JSON.stringify(claims))}`;
  const isAll = broken.length === 0;
  const passed = isWholeRun && isAll ? await doneBefore<AuditResult[]>(warehouse, 'audits', state) : undefined;
  if (passed) {
    outcome.audits = passed;
    return;
  }
  const leftOut = new Set(broken.flatMap((model) => [...model.leftOut]));
  const audits = await runAudits(warehouse, { runId, leftOut, audits: claims });
  outcome.audits = audits;
  outcome.heldBack = await holdBack(warehouse, broken, audits, { models, audits: claims });
  const unknown = await unknownProtected(warehouse, [...claims, ...audits], models);
  if (isAll && unknown.length === 0 && !audits.some(hasFailed)) await remember(warehouse, 'audits', state, audits);
  countBuild({ count, fail }, broken, audits);
  for (const error of unknown) fail(error);
}

/** Loads the user's own tables, and tells of those that cannot be. */
async function takeReferences(warehouse: Warehouse, fail: Session['fail']): Promise<void> {
  for (const { message } of await loadReferences(warehouse)) fail(new FirnError('contract', message));
}

/** Counts the outcome of a build for the exit code: models that broke, audits that could not be run, and those that found rows. */
export function countBuild(
  { count, fail }: Pick<Session, 'count' | 'fail'>,
  broken: readonly BrokenModel[],
  audits: readonly AuditResult[],
): void {
  for (const { error } of broken) fail(error);
  for (const { problem } of audits) if (problem !== null) fail(new FirnError('failed', problem));
  if (audits.some(({ failedRows }) => failedRows > 0)) count(3);
}

/** Compares what was recomputed with what was served. */
export async function reconcilePhase({ options, project, isWholeRun, outcome, count }: Session): Promise<void> {
  const { warehouse } = project;
  // The compared relations are held back, and so is what is made from them.
  if (outcome.heldBack.some(({ relation }) => relation === 'mart.reconciliation')) return;
  await assertBuilt(warehouse);
  const state = `${await stateText(warehouse)} ${verdictRules}`;
  const before = isWholeRun ? await doneBefore<ReconcileResult>(warehouse, 'reconcile', state) : undefined;
  const result = before ?? (await reconcile(warehouse, { models: options.models }));
  outcome.reconciliation = result;
  if (!before) await remember(warehouse, 'reconcile', state, result);
  if (result.differs > 0) count(3);
}

/** The first build makes the table of what is covered, which every comparison reads. @throws FirnError `not_found` */
async function assertBuilt(warehouse: Warehouse): Promise<void> {
  if (await hasRelation(warehouse, 'firn', 'coverage')) return;
  throw new FirnError('not_found', 'Nothing was built yet. Run `firn build` first.');
}

interface KeptPublish {
  readonly published: PublishResult;
  readonly readers: string;
}

/** Makes a version for readers of the state as it is, unless the one they have shows it. */
export async function publishPhase(
  { options, run, isWholeRun, outcome, fail, ...session }: Session,
  project: Pick<Project, 'settings' | 'declared' | 'warehouse' | 'knownNetwork'>,
): Promise<void> {
  const { warehouse, settings, knownNetwork } = project;
  await refuseLostState(warehouse);
  await refuseOlderState(warehouse, async () =>
    configuredKeys(planStreams(settings, options.catalogue), await knownNetwork()),
  );
  // Nothing may go that is not built yet, or whose build failed.
  if (settings.keep !== undefined && run.phases.includes('build') && outcome.heldBack.length === 0) {
    const { dropped, waiting } = await dropHistory(warehouse, project.declared, {
      keep: { days: Number.parseInt(settings.keep, 10) },
      models: options.models,
    });
    outcome.dropped = dropped;
    outcome.waiting = waiting;
  }
  if (!run.phases.includes('build')) await takeReferences(warehouse, fail);
  const { keepVersions, root } = settings.publish;
  const state = `${await stateText(warehouse)} ${await stepsText(warehouse)} ${keepVersions}`;
  const still = isWholeRun && !options.rehash ? await stillPublished(project, state) : undefined;
  if (still) {
    outcome.published = still;
    return;
  }
  await session.noteReport();
  const asked = {
    runId: run.runId,
    layouts: layoutsOf(project.declared, options.models ?? (await readModels())),
    keepVersions,
    root,
    rehash: options.rehash,
    signal: options.signal,
  };
  let isHidden = false;
  const published = await publish(warehouse, asked).catch(async (error: unknown) => {
    const relations = error instanceof FirnError ? error.context.relations : undefined;
    if (!relations) throw error;
    // As a model that cannot be built.
    isHidden = true;
    fail(new FirnError('failed', messageOf(error), { cause: error }));
    outcome.heldBack = await holdBackHidden(warehouse, relations, messageOf(error));
    await session.noteReport();
    return publish(warehouse, asked);
  });
  outcome.published = published;
  // The next build forgets it, and must be published to find it again.
  if (isHidden) return;
  const kept: KeptPublish = { published, readers: await readersText(settings.warehouse, root) };
  await remember(warehouse, 'publish', state, kept);
}

/** The version that shows the state as it is, if its files and the readers' database are as they were made. */
async function stillPublished(
  { warehouse, settings }: Session['project'],
  state: string,
): Promise<PublishResult | undefined> {
  const kept = await doneBefore<KeptPublish>(warehouse, 'publish', state);
  if (kept?.readers !== (await readersText(settings.warehouse, settings.publish.root))) return undefined;
  if (!(await isWhole(settings.warehouse, kept.published.version))) return undefined;
  return {
    ...kept.published,
    isNew: false,
    written: 0,
    reused: kept.published.reused + kept.published.written,
    removed: 0,
  };
}

/** Tables that tell of runs, not of data: they change in every run. */
const ofRuns = [
  'run',
  'load',
  'checkpoint',
  'quota',
  'audit',
  'audit_state',
  'step',
  'model',
  'date_height',
  'publish_state',
  'rebuilt',
];
/** What tells whether a table changed, where that is not all of it: the size of those that grow with the data; that a record in quarantine came again is no news. */
const tells: Readonly<Record<string, string>> = {
  coverage: 'count(*)',
  lookup: `count(*), count_if(outcome = '${unconfirmed}')`,
  evidence: 'count(*), max(proven_at)',
  quarantine: 'count(*), sum(hash(*COLUMNS(* EXCLUDE (times_seen, last_seen_at, last_load_id))))',
};

/** A text that changes whenever something may have changed that audits, verdicts or readers see, apart from runs. Models must be built before. */
async function stateText(warehouse: Warehouse): Promise<string> {
  const tables = await warehouse.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name = 'firn' AND table_name NOT IN (${ofRuns.map((name) => `'${name}'`).join(', ')})
     ORDER BY 1`,
  );
  const parts = tables.map(({ name }) => {
    const what = tells[name] ?? 'count(*), sum(hash(t))';
    return `(SELECT concat_ws('/', ${what}) FROM firn."${name}" AS t)`;
  });
  const [row] = await warehouse.query<{ text: string }>(
    `SELECT concat_ws(' ', ${parts.join(', ')},
       (SELECT sum(hash(schema_name, table_name, column_name, data_type, "comment")) FROM duckdb_columns()
        WHERE database_name = current_database())) AS text`,
  );
  return row?.text ?? '';
}

/** A text that changes whenever audits or verdicts were computed again. */
async function stepsText(warehouse: Warehouse): Promise<string> {
  const [row] = await warehouse.query<{ text: string | null }>(
    `SELECT string_agg(step || ' ' || done_at, ' ' ORDER BY step) AS text FROM firn.step WHERE step <> 'publish'`,
  );
  return row?.text ?? '';
}

/** The result of a step that was done for the state as it is; undefined where it must be done. */
async function doneBefore<T>(warehouse: Warehouse, step: string, state: string): Promise<T | undefined> {
  const [row] = await warehouse.query<{ result: string }>(
    'SELECT result FROM firn.step WHERE step = $1 AND state = $2',
    [step, state],
  );
  return row && (JSON.parse(row.result) as T);
}

/** Remembers the result of a step, in place of the one before. */
function remember(warehouse: Warehouse, step: string, state: string, result: unknown): Promise<void> {
  return warehouse.transaction(async (tx) => {
    await tx.run('DELETE FROM firn.step WHERE step = $1', [step]);
    await tx.run('INSERT INTO firn.step VALUES ($1, $2, $3, now()::TIMESTAMP)', [step, state, JSON.stringify(result)]);
  });
}
