import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { keepLabels } from '../../load/bookkeeping/keepLabels.ts';
import type { Session } from '../../run/phases/phaseOptions.ts';
import { countBuild } from '../../run/phases/steps.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import { type FailedRows, runAudits } from '../../transform/audits/runAudits.ts';
import type { BrokenModel } from '../../transform/builds/buildModels.ts';
import { holdBack, unknownProtected } from '../../transform/heldBack.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { filledTables } from '../engine/lakeTable.ts';
import { dialectProblems } from '../render/dialectProblems.ts';
import { renderForTrino } from '../render/renderForTrino.ts';
import { adoptLake } from './adoptLake.ts';
import { auditScopes, forgetFailed } from './auditScopes.ts';
import { buildLake } from './buildLake.ts';
import { changeOldRows } from './changeOldRows.ts';
import { renderingAt, replacedIn, sameIn, takeCut } from './cut.ts';
import { ensureLakeTables } from './ensureLakeTables.ts';
import { forgetsGaps } from './forgetsGaps.ts';
import { isStillThere, remembered } from './lakeChanges.ts';
import { lakeVersion } from './lakeVersion.ts';
import type { Lake } from './openLake.ts';
import { appendLoads, carryTables, ensureOwnTables, fillFromLedger, givenTables } from './ownTables.ts';
import { refuseOlder } from './refuseOlder.ts';

/** Audits that run at once: most of the time of each goes into planning. */
const auditsAtOnce = 4;

/** Builds the models and audits what came of them; what an audit that blocks protects is held back. */
export async function buildPhase(lake: Lake, { options, project, run, outcome, count, fail }: Session): Promise<void> {
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
