import { FirnError } from '../../core/firnError.ts';
import { sqlFolder } from '../../load/sqlFolder.ts';
import { type BrokenModel, buildModels } from '../../transform/buildModels.ts';
import { holdBack } from '../../transform/heldBack.ts';
import { type AuditResult, hasFailed, runAudits } from '../../transform/runAudits.ts';
import type { Session } from './session.ts';
import { doneBefore, folderHash, remember, stateText } from './steps.ts';

/** Builds the models and audits what came of them; what an audit that blocks protects is held back. */
export async function buildPhase({ project, run, isWholeRun, outcome, count, fail }: Session): Promise<void> {
  const { warehouse } = project;
  const { runId } = run;
  const broken: BrokenModel[] = [];
  outcome.models = await buildModels(warehouse, { runId, onBroken: (model) => broken.push(model) });
  const state = `${await stateText(warehouse)} ${await folderHash(sqlFolder('audits'))}`;
  const isAll = broken.length === 0;
  const passed = isWholeRun && isAll ? await doneBefore<AuditResult[]>(warehouse, 'audits', state) : undefined;
  if (passed) {
    outcome.audits = passed;
    return;
  }
  const leftOut = new Set(broken.flatMap((model) => [...model.leftOut]));
  const audits = await runAudits(warehouse, { runId, leftOut });
  outcome.audits = audits;
  outcome.heldBack = await holdBack(warehouse, broken, audits);
  if (isAll && !audits.some(hasFailed)) await remember(warehouse, 'audits', state, audits);
  for (const { error } of broken) fail(error);
  for (const { problem } of audits) if (problem !== null) fail(new FirnError('failed', problem));
  if (audits.some(({ failedRows }) => failedRows > 0)) count(3);
}
