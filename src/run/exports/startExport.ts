import { FirnError } from '../../core/firnError.ts';
import type { ExportBody } from '../../core/stream/exportService.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { ExportContext } from './exportContext.ts';
import { type ExportState, exportId, readExport } from './exportState.ts';
import { askOperation, lastPart } from './followExport.ts';
import { type NewPart, resumeHint, saveAnswer, savePending, startPart } from './startPart.ts';

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
export function startExport(
  context: ExportContext,
  body: ExportBody,
  { operationId, again = false }: StartOptions,
): Promise<Started> {
  return context.withState(async (warehouse) => {
    const { state, count } = await newestOf(context, warehouse, body);
    if (operationId !== undefined)
      return { state: await adopt(context, warehouse, state, body, operationId), isNew: true };
    const part = state && lastPart(state);
    if (state && part?.outcome === 'asked' && !again) throw new FirnError('failed', resumeHint(state.id));
    if (state && (part?.outcome === 'asked' || part?.outcome === 'failed')) {
      const repeated = { id: state.id, body, firstDate: part.firstDate };
      return { state: await startPart(context, warehouse, state, repeated), isNew: true };
    }
    if (state && !again) return { state, isNew: false };
    return { state: await startPart(context, warehouse, null, firstPart(body, count + 1)), isNew: true };
  });
}

/** The first operation of an export. @param again as `exportId` takes it */
const firstPart = (body: ExportBody, again?: number): NewPart => ({
  id: exportId(body, again),
  body,
  firstDate: body.firstDate ?? null,
});

/** The newest export with this request, and how often it was asked for. */
async function newestOf({ service }: ExportContext, warehouse: Warehouse, body: ExportBody) {
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
  known: ExportState | null,
  body: ExportBody,
  operationId: string,
): Promise<ExportState> {
  const part = known && lastPart(known);
  if (known && part?.outcome !== 'asked')
    throw new FirnError(
      'usage',
      `Export ${known.id} has an operation already (${part?.operationId ?? 'refused'}), so ${operationId} has no place in it. See "firn export status ${known.id}".`,
    );
  const answer = await askOperation(context, operationId);
  const state = known ?? (await savePending(context, warehouse, null, firstPart(body)));
  return saveAnswer(context, warehouse, state, answer);
}
