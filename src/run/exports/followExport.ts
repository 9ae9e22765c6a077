import { FirnError, hasCode } from '../../core/firnError.ts';
import { systemClock } from '../../extract/clock.ts';
import { throwIfAborted } from '../../extract/interruption.ts';
import type { ExportContext } from './exportContext.ts';
import { type ExportPart, type ExportState, readExport } from './exportState.ts';
import { resumeHint, saveAnswer, startPart } from './startPart.ts';

export interface FollowOptions {
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * Waits until an export is complete: polls its operation, less and less often, and where the service truncated it asks for
 * the rest, from the date that it names, until nothing is left.
 *
 * @throws FirnError `unavailable` when it is not complete in time: it goes on running · `failed` when the service failed at it ·
 *   `contract` when the parts would never end
 */
export async function followExport(
  context: ExportContext,
  started: ExportState,
  { waitMs }: FollowOptions,
): Promise<ExportState> {
  const deadline = performance.now() + waitMs;
  let state = started;
  for (;;) {
    const part = lastPart(state);
    if (part.outcome === 'asked') throw new FirnError('failed', resumeHint(state.id));
    if (part.outcome === 'running') {
      const before = state;
      const answer = await poll(context, state, deadline);
      state = await context.withState((warehouse) => saveAnswer(context, warehouse, before, answer));
      continue;
    }
    if (part.outcome === 'failed') throw failed(state.id, part);
    const nextDate = restOf(state, part);
    if (nextDate === null) return state;
    context.note(`The service cut the export off: going on from ${nextDate}.`);
    const before = state;
    const { id, body } = state;
    state = await context.withState((warehouse) =>
      startPart(context, warehouse, before, { id, body, firstDate: nextDate }),
    );
  }
}

/** The same for whoever takes what there is: of an export that the service cut off, and that cannot go on, the state as well as the error. */
export async function followAsFarAsItGoes(
  context: ExportContext,
  started: ExportState,
  options: FollowOptions,
): Promise<{ readonly state: ExportState; readonly failure?: FirnError }> {
  try {
    return { state: await followExport(context, started, options) };
  } catch (failure) {
    if (!(failure instanceof FirnError) || failure.context.reason !== cutOff) throw failure;
    const state = await context.withState((warehouse) => readExport(warehouse, context.service, started.id));
    return { state: state ?? started, failure };
  }
}

const cutOff = 'cut_off';

/** Asks once where the operation of the last part stands, and keeps the answer. */
export async function refreshExport(context: ExportContext, state: ExportState): Promise<ExportState> {
  const { operationId, outcome } = lastPart(state);
  if (operationId === null || outcome !== 'running') return state;
  const answer = await askOperation(context, operationId);
  return context.withState((warehouse) => saveAnswer(context, warehouse, state, answer));
}

export function lastPart(state: ExportState): ExportPart {
  const part = state.parts.at(-1);
  if (!part) throw new TypeError(`export ${state.id} has no part`);
  return part;
}

async function poll(context: ExportContext, state: ExportState, deadline: number): Promise<unknown> {
  const operationId = lastPart(state).operationId ?? '';
  const noted = new Set<string>();
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const answer = await askOperation(context, operationId);
    const { outcome, status, isKnown } = context.service.state(answer);
    if (outcome !== 'running') return answer;
    if (!isKnown && !noted.has(status)) {
      noted.add(status);
      context.note(
        `Operation ${operationId} is ${status}, a word that firn does not know: waiting for COMPLETED or FAILED.`,
      );
    }
    if (performance.now() + pause > deadline)
      throw new FirnError(
        'unavailable',
        `Operation ${operationId} of export ${state.id} is still ${status}. It keeps running at the service: run "firn export wait ${state.id}" again later.`,
        { retryable: true },
      );
    await systemClock.sleep(pause, context.signal);
  }
}

/** The answer of the service about one operation. */
export async function askOperation(context: ExportContext, operationId: string): Promise<unknown> {
  throwIfAborted(context.signal);
  try {
    const { body } = await context.fetch(context.service.read(operationId));
    const said = context.service.state(body).operationId;
    if (said === operationId) return body;
    throw new FirnError('contract', `The service was asked for operation ${operationId} and answered with ${said}.`);
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    throw new FirnError(
      'not_found',
      `The service does not know operation ${operationId} (any more). Check the URL and key of the source data; if they are right, ask for the export again with --again.`,
      { cause: error },
    );
  }
}

/** Where a truncated export goes on; null where it is complete. */
function restOf(state: ExportState, { operationId, firstDate, nextDate }: ExportPart): string | null {
  if (nextDate === null) return null;
  const lastDate = state.body.lastDate;
  const date = /^\d{4}-\d\d-\d\d/.exec(nextDate)?.[0];
  if (date !== undefined && lastDate !== undefined && date > lastDate) return null;
  if (date !== undefined && (firstDate === null || date > firstDate)) return date;
  const what =
    nextDate === ''
      ? 'was cut off, and the service does not say from which date on'
      : `began at ${firstDate ?? 'the beginning'} and is to go on from "${nextDate}", which would never end`;
  throw new FirnError(
    'contract',
    `Operation ${operationId} of export ${state.id} ${what}. ` +
      `What there is can be downloaded (firn export download ${state.id}); ask for fewer days or addresses at once for the rest.`,
    { context: { reason: cutOff } },
  );
}

function failed(id: string, { operationId, status, said }: ExportPart): FirnError {
  const what = operationId === null ? 'is not under way' : `(operation ${operationId}) ended as ${status}`;
  const why = said === null ? '' : `: ${said.replace(/\.$/, '')}`;
  // Of a request that was not carried out, the error says itself what to do about it.
  const first = operationId === null ? 'Then' : 'Correct the request if it says what is wrong with it, then';
  return new FirnError('failed', `Export ${id} ${what}${why}. ${first} ask for it again with "firn export start".`);
}
