import { FirnError } from '../../core/firnError.ts';
import { each } from '../../core/json/parseAround.ts';
import type { Check, RpcCall, RpcOutcome } from '../../core/requests/request.ts';
import { takesNoMore } from '../../core/requests/takesNoMore.ts';
import { isUnanswered } from '../../core/requests/unanswered.ts';
import { checkError } from '../answers/checkAnswer.ts';
import { type BatchAnswer, readBatch } from '../answers/rpcAnswer.ts';
import { isTimeout, isTooLarge, isTransient, type RpcErrorObject } from '../answers/rpcError.ts';
import { batchTexts } from '../http/requestText.ts';
import type { HttpResponse } from '../http/sendOnce.ts';
import type { Call, CallOptions } from './rpcCall.ts';
import type { RpcPath } from './rpcPath.ts';
import { ServerBatches } from './serverBatches.ts';

/** What EVM nodes allow in the body of a request. */
const largestBody = 5_000_000;
/** A batch that is too much work times out as often as it is sent: it is not sent often, but made smaller. */
const batchAttempts = 3;

/** How many calls are made; each of them says the rest itself. */
export type ManyOptions = Pick<CallOptions, 'sent' | 'raw'>;

/** Makes many calls; see `JsonRpc`. */
type CallMany = (calls: readonly RpcCall[], options?: ManyOptions) => Promise<HttpResponse<RpcOutcome[]>>;

/** @param mostInBatch calls in one batch; what the server takes is learned from its answers */
export function createCallMany(path: RpcPath, call: Call, mostInBatch: number): CallMany {
  const batches = new ServerBatches(mostInBatch);
  return async (calls, options = {}) => {
    const many = gatherCalls({ path, call, batches }, calls, options);
    let pending: readonly number[] = calls.map((_, i) => i);
    while (pending.length > 0 && batches.areTaken) pending = many.stillAsked(await askFirst(many, pending));
    await Promise.all(pending.map(many.askAlone));
    return many.response();
  };
}

/** Asks for the first of `pending`, as many as go into a batch. Gives those that are to be asked for again, or are still to be asked for. */
async function askFirst(many: ManyCalls, pending: readonly number[]): Promise<readonly number[]> {
  const { calls, path, askAlone } = many;
  const { size } = many.batches;
  const firstId = path.lastId + 1;
  const texts = batchTexts(calls, pending, firstId, { calls: size.current(), bytes: largestBody });
  const taken = pending.slice(0, texts.length);
  const later = pending.slice(texts.length);
  const only = taken[0];
  if (taken.length === 1 && only !== undefined) {
    await askAlone(only);
    size.taken(1);
    return later;
  }
  path.lastId += taken.length;
  const ids = taken.map((_, i) => firstId + i);
  const answers = await sendBatch(many, taken, ids, texts);
  if (answers === 'again') return pending;
  if (answers === 'alone') {
    await Promise.all(taken.map(askAlone));
    return later;
  }
  const { tooMuch, transient, refused } = takeOutcomes(
    many,
    taken,
    ids.map((id) => answers.get(String(id)) as RpcOutcome),
  );
  if (tooMuch.length + refused > 0) size.tooMuch(taken.length, taken.length - tooMuch.length - refused);
  else size.taken(taken.length);

  // The first is asked for on its own, with all its attempts: while it fails, so would the others.
  const [first, ...others] = transient;
  if (first === undefined) return [...tooMuch, ...later];
  const outcome = await askAlone(first);
  const better = !(outcome.error && isTransient(outcome.error));
  return [...(better ? others : []), ...tooMuch, ...later];
}

/** Sends calls as one batch. Gives their outcomes by id, or that these are to be asked alone, or again: in smaller batches, or one by one. */
async function sendBatch(
  { calls, path, options, batches, add }: ManyCalls,
  taken: readonly number[],
  ids: readonly number[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, RpcOutcome> | 'alone' | 'again'> {
  const { sent, raw } = options;
  const before = batches.refusals;
  const asked = `${path.place} (batch of ${taken.length})`;
  try {
    const response = await path.post({
      body: `[${texts.join(',')}]`,
      weight: taken.length,
      attempts: batchAttempts,
      divisible: true,
      answer: taken.some((index) => calls[index]?.answer === 'traces') ? 'traces' : 'range',
      sent,
      raw: raw && [each, 'result', ...raw],
      inspect: (body) => errorIn(readBatch(asked, ids, body)),
    });
    add(response);
    const answers = readBatch(asked, ids, response.body);
    if (answers instanceof Map) {
      batches.answered();
      return answers;
    }
    // Which of its methods the server lacks each call says for itself.
    if (answers === 'no method' && batches.wereTaken) return 'alone';
    if (answers === 'too large') batches.size.tooMany(taken.length);
    else batches.refused(taken.length, before);
  } catch (error) {
    if (mayFitWhenSmaller(error)) batches.size.tooMuch(taken.length);
    else if (isRefusal(error)) batches.refused(taken.length, before);
    else throw error;
  }
  return 'again';
}

/** Keeps the outcomes of a batch. Gives the calls that were too much for it, those whose outcome may pass, and how many of these were one too many for now. */
function takeOutcomes({ calls, outcomes }: ManyCalls, taken: readonly number[], given: readonly RpcOutcome[]) {
  const tooMuch: number[] = [];
  const transient: number[] = [];
  let refused = 0;
  for (const [i, outcome] of given.entries()) {
    const index = taken[i] as number;
    outcomes[index] = outcome;
    if (outcome.error && isTooMuch(outcome.error)) tooMuch.push(index);
    else if (isWorthAsking(outcome, calls[index]?.check)) transient.push(index);
    if (outcome.error && takesNoMore(outcome.error)) refused++;
  }
  return { tooMuch, transient, refused };
}

/** Calls, and their outcomes on the way to one response. */
interface ManyCalls {
  readonly path: RpcPath;
  readonly batches: ServerBatches;
  readonly calls: readonly RpcCall[];
  readonly options: ManyOptions;
  readonly outcomes: RpcOutcome[];
  /** Asks for one call in a request of its own: an error of the server is its outcome. */
  askAlone(index: number): Promise<RpcOutcome>;
  /** Leaves out calls that are asked for in parts, once the server had no answer to another one of their method: it may be down for all of them. */
  stillAsked(pending: readonly number[]): readonly number[];
  add(response: HttpResponse): void;
  response(): HttpResponse<RpcOutcome[]>;
}

function gatherCalls(
  { path, call, batches }: { readonly path: RpcPath; readonly call: Call; readonly batches: ServerBatches },
  calls: readonly RpcCall[],
  options: ManyOptions,
): ManyCalls {
  const outcomes = new Array<RpcOutcome>(calls.length);
  const unanswered = new Map<string, RpcOutcome>();
  let requestedAt = path.now();
  let bytes = 0;
  const add: ManyCalls['add'] = (response) => {
    requestedAt = Math.min(requestedAt, response.requestedAt);
    bytes += response.bytes;
  };
  const outcomeOf = async (one: RpcCall): Promise<RpcOutcome> => {
    const { method, params, check, answer = 'range', mayExceed = false, inParts = false } = one;
    try {
      const attempts = inParts ? batchAttempts : undefined;
      const response = await call(method, params, { ...options, check, answer, attempts });
      add(response);
      return { result: response.body };
    } catch (error) {
      const told = errorOutcome(error, { mayExceed, inParts });
      if (!told) throw error;
      if (inParts && isUnanswered(error as FirnError)) unanswered.set(method, told);
      return told;
    }
  };
  return {
    path,
    batches,
    calls,
    options,
    outcomes,
    add,
    async askAlone(index) {
      const outcome = await outcomeOf(calls[index] as RpcCall);
      outcomes[index] = outcome;
      return outcome;
    },
    stillAsked: (pending) =>
      pending.filter((index) => {
        const { method, inParts } = calls[index] as RpcCall;
        const told = inParts ? unanswered.get(method) : undefined;
        if (told) outcomes[index] = told;
        return !told;
      }),
    response: () => ({ body: outcomes, requestedAt, bytes }),
  };
}

const errorIn = (answer: BatchAnswer): FirnError | undefined => (answer instanceof FirnError ? answer : undefined);

/** Whether asking for it alone may give a better outcome: an error that may pass, or a result that is not what was asked for. */
function isWorthAsking(outcome: RpcOutcome, check: Check | undefined): boolean {
  if (outcome.error) return isTransient(outcome.error);
  return checkError(check, () => '', outcome.result) !== undefined;
}

const isTooMuch = (error: RpcErrorObject): boolean => isTooLarge(error) || isTimeout(error);

/** Whether too much may have been asked at once: the server says so, timed out or cut the answer off, or the answer was too large for this side. */
function mayFitWhenSmaller(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.retryable || error.context.status === 413 || error.context.reason === 'too_large';
}

/** A status like 400 or 501 may mean that batches are refused as such: single calls will tell. */
const isRefusal = (error: unknown): boolean =>
  error instanceof FirnError && (error.code === 'refused' || error.context.status === 501);

function errorOutcome(
  error: unknown,
  { mayExceed, inParts }: { readonly mayExceed: boolean; readonly inParts: boolean },
): RpcOutcome | undefined {
  if (!(error instanceof FirnError)) return undefined;
  if ((mayExceed && error.context.reason === 'too_large') || (inParts && isUnanswered(error)))
    return { error: { code: 0, message: error.message } };
  const { rpcCode: code, rpcMessage: message = '' } = error.context;
  return code === undefined ? undefined : { error: { code, message } };
}
