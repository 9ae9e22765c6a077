import { FirnError, messageOf } from '../../core/firnError.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { ExportContext } from './exportContext.ts';
import { bodyOf, type ExportState, saveExport, withPart } from './exportState.ts';

/** The next operation of an export. */
export interface NewPart {
  readonly id: string;
  readonly body: ExportState['body'];
  readonly firstDate: string | null;
}

const notAsked = {
  operationId: null,
  status: null,
  outcome: 'asked',
  said: null,
  nextDate: null,
  file: null,
  rows: null,
} as const;

/**
 * Asks for the next operation of an export. The intention is durable before the request leaves, and the
 * outcome afterwards: whatever happens in between, nobody asks a second time without knowing it.
 *
 * @param before the durable state; null where the export is new
 * @throws FirnError as the request does; where it may have been carried out, the message says how to go on
 */
export async function startPart(
  context: ExportContext,
  warehouse: Warehouse,
  before: ExportState | null,
  to: NewPart,
): Promise<ExportState> {
  const { service, fetch } = context;
  const intent = await savePending(context, warehouse, before, to);
  let answer: unknown;
  try {
    answer = (await fetch(service.start(bodyOf(intent)))).body;
  } catch (error) {
    if (!wasNotCarriedOut(error)) throw unknownOutcome(error, intent.id);
    const said = messageOf(error);
    await saveExport(warehouse, context, intent, withPart(intent, { outcome: 'failed', said }));
    throw error;
  }
  return saveAnswer(context, warehouse, intent, answer);
}

/** Makes durable that an operation is about to be asked for. */
export function savePending(
  context: ExportContext,
  warehouse: Warehouse,
  before: ExportState | null,
  { id, body, firstDate }: NewPart,
): Promise<ExportState> {
  const part = { ...notAsked, firstDate, askedAt: new Date().toISOString() };
  return saveExport(warehouse, context, before, { id, body, parts: [...(before?.parts ?? []), part] });
}

/** Makes durable what the service answered about the last operation. */
export async function saveAnswer(
  context: ExportContext,
  warehouse: Warehouse,
  before: ExportState,
  answer: unknown,
): Promise<ExportState> {
  const { operationId, status, outcome, code, message, nextDate } = context.service.state(answer);
  const said = [code, message].filter((word) => word !== null).join(': ') || null;
  const after = withPart(before, { operationId, status, outcome, said, nextDate });
  return saveExport(warehouse, context, before, after, answer);
}

/** A refusal, or a request that never left: then asking again is safe. */
const wasNotCarriedOut = (error: unknown): boolean =>
  error instanceof FirnError && (error.context.acted === false || error.code === 'rate_limited');

function unknownOutcome(error: unknown, id: string): Error {
  const { code, message } = error instanceof FirnError ? error : new FirnError('failed', String(error));
  return new FirnError(code, `${message} ${resumeHint(id)}`, { cause: error });
}

/** What to do about an export whose request has no answer. */
export const resumeHint = (id: string) =>
  `It is not known whether export ${id} runs at the service, so firn does not ask for it again by itself. ` +
  "If you find its operation (the provider's console may list it), resume it: the same command with --operation <id>. " +
  'Otherwise ask once more with --again, which may make a second export.';
