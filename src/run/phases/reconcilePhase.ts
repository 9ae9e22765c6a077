import { type ReconcileResult, reconcile, verdictRules } from '../../transform/reconcile.ts';
import type { Session } from './session.ts';
import { doneBefore, remember, stateText } from './steps.ts';

/** Compares what was recomputed with what was served. */
export async function reconcilePhase({ options, project, run, isWholeRun, outcome, count }: Session): Promise<void> {
  const { warehouse } = project;
  // What is compared is held back, and so is what would come of it.
  if (outcome.heldBack.some(({ relation }) => relation === 'mart.reconciliation')) return;
  const state = `${await stateText(warehouse)} ${verdictRules}`;
  const before = isWholeRun ? await doneBefore<ReconcileResult>(warehouse, 'reconcile', state) : undefined;
  const result = before ?? (await reconcile(warehouse, { runId: run.runId, models: options.models }));
  outcome.reconciliation = result;
  if (!before) await remember(warehouse, 'reconcile', state, result);
  if (result.differs > 0) count(3);
}
