import { FirnError } from '../../core/firnError.ts';
import type { ExportBody } from '../../core/stream/exportService.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { ExportContext } from './exportContext.ts';
import { type ExportState, exportId, readExport } from './exportState.ts';
import { askOperation, lastPart } from './followExport.ts';
import { resumeHint, saveAnswer, savePending, startPart } from './startPart.ts';

export interface StartOptions {
  /** Ask even if the same was asked for before. */
  readonly again?: boolean | undefined;
  /** Adopt this operation instead of asking for one. */
  readonly operationId?: string | undefined;
}

export interface Started {
  readonly state: ExportState;
  /** False where the same export had been asked for before: its state is as it was. */
  readonly isNew: boolean;
}

/**
 * Asks for an export, unless the same one was asked for before. An export that failed is asked for again; one whose answer never
 * came is left alone until a person says what to do.
 *
 * @throws FirnError `failed` for an export whose answer never came · `usage` for an operation that has no place
 */
export function startExport(context: ExportContext, body: ExportBody, options: StartOptions): Promise<Started> {
  return context.withState(async (warehouse) => {
    const known = await newestOf(context, warehouse, body);
    const { operationId, again = false } = options;
    const outcome = known.state === null ? null : lastPart(known.state).outcome;
    if (operationId !== undefined)
      return { state: await adopt(context, warehouse, known, body, operationId), isNew: true };
    if (known.state && outcome === 'asked' && !again) throw new FirnError('failed', resumeHint(known.state.id));
    if (known.state && (outcome === 'asked' || outcome === 'failed')) {
      const { id } = known.state;
      const { firstDate } = lastPart(known.state);
      return { state: await startPart(context, warehouse, known.state, { id, body, firstDate }), isNew: true };
    }
    if (known.state && !again) return { state: known.state, isNew: false };
    const id = exportId(body, known.count + 1);
    return {
      state: await startPart(context, warehouse, null, { id, body, firstDate: body.firstDate ?? null }),
      isNew: true,
    };
  });
}

interface Known {
  readonly state: ExportState | null;
  /** How often the request was asked for. */
  readonly count: number;
}

async function newestOf({ service }: ExportContext, warehouse: Warehouse, body: ExportBody): Promise<Known> {
  let state: ExportState | null = null;
  for (let count = 0; ; count++) {
    const next = await readExport(warehouse, service, exportId(body, count + 1));
    if (next === null) return { state, count };
    state = next;
  }
}

async function adopt(
  context: ExportContext,
  warehouse: Warehouse,
  known: Known,
  body: ExportBody,
  operationId: string,
): Promise<ExportState> {
  const unanswered = known.state !== null && lastPart(known.state).outcome === 'asked';
  if (known.state && !unanswered) {
    throw new FirnError(
      'usage',
      `Export ${known.state.id} has an operation already (${lastPart(known.state).operationId ?? 'refused'}), so ${operationId} has no place in it. See "firn export status ${known.state.id}".`,
    );
  }
  const answer = await askOperation(context, operationId);
  const state =
    known.state ??
    (await savePending(context, warehouse, null, { id: exportId(body), body, firstDate: body.firstDate ?? null }));
  return saveAnswer(context, warehouse, state, answer);
}
