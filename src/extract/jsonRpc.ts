import type { AnswerKind } from '../core/bounds.ts';
import { FirnError } from '../core/firnError.ts';
import { each } from '../core/reader/parseAround.ts';
import type { Check, RpcCall, RpcOutcome } from '../core/request.ts';
import { createBatchSize } from './batchSize.ts';
import { checkError } from './checkAnswer.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { batchTexts, callText } from './requestText.ts';
import { type BatchAnswer, broken, readAnswer, readBatch } from './rpcAnswer.ts';
import { isTooLarge, isTransient, type RpcErrorObject, rpcError } from './rpcError.ts';

/** What came back: the `result`, or the outcomes in the order of the calls; and what an answer carries beside. */
interface RpcResponse<T> {
  readonly body: T;
  readonly requestedAt: number;
  readonly bytes: number;
}

/** How one call is made. */
export interface CallOptions {
  /** Compute units. Default: 1. */
  readonly weight?: number | undefined;
  /** Looks whether the result is what was asked for. */
  readonly check?: Check | undefined;
  /** By which the answer is bounded. Default: a page. */
  readonly answer?: AnswerKind | undefined;
  /** Told of every request that goes over the wire. */
  readonly sent?: Sent | undefined;
  /** Steps inside of the result to what is left unparsed. */
  readonly raw?: readonly string[] | undefined;
}

/** JSON-RPC 2.0 at one path of a server. */
export interface JsonRpc {
  /**
   * @throws FirnError for errors of the server too: `not_offered`, `not_found`, `refused`, ... (context: rpcCode, rpcMessage)
   */
  call(method: string, params: unknown, options?: CallOptions): Promise<RpcResponse<unknown>>;
  /**
   * Many calls in as few batches as the server takes, or one by one where it takes none. Errors of single calls are
   * outcomes; what concerns all of them is thrown.
   */
  callMany(calls: readonly RpcCall[], options?: Omit<CallOptions, 'check'>): Promise<RpcResponse<RpcOutcome[]>>;
}

/** Told of every request that goes out: a batch is one. */
type Sent = () => void;

export interface JsonRpcOptions {
  /** Calls in one batch at most; 1 where batches are known to be refused. Default: what EVM nodes allow. */
  readonly batch?: number;
}

/** Limits of EVM nodes; a batch that breaks a lower limit of another server shrinks. */
const mostInBatch = 1_000;
const largestBody = 5_000_000;
/** A batch that is too much work times out as often as it is sent: it is not sent often, but made smaller. */
const batchAttempts = 3;

/** @param path below the URL of `http`, for example `/ext/bc/C/rpc` */
export function createJsonRpc(http: Http, path: string, options: JsonRpcOptions = {}): JsonRpc {
  const size = createBatchSize(options.batch ?? mostInBatch);
  const place = `POST ${http.url}${path === '' ? '' : `/${path.replace(/^\/+/, '')}`}`;
  let takesBatches = (options.batch ?? mostInBatch) > 1;
  let lastId = 0;

  const post = async (
    request: Pick<HttpRequest, 'body' | 'weight' | 'attempts' | 'inspect' | 'answer' | 'sent' | 'raw'>,
  ): Promise<HttpResponse> => {
    try {
      return await http.send({ method: 'POST', path, ...request });
    } catch (error) {
      throw error instanceof FirnError && error.context.status === 404 ? switchedOff(place, error) : error;
    }
  };

  const call: JsonRpc['call'] = async (method, params, { weight = 1, check, answer: kind, sent, raw } = {}) => {
    const asked = `${place} ${method}`;
    lastId += 1;
    const id = String(lastId);
    const inspect = (body: unknown): FirnError | undefined => {
      const answer = readAnswer(body);
      if (!answer) return broken(asked, 'holds neither a result nor an error');
      const { outcome } = answer;
      // An answer to a request that could not be read has no id.
      if (answer.id !== id && !(answer.id === null && 'error' in outcome))
        return broken(asked, `has the id ${answer.id} instead of ${id}`);
      return 'error' in outcome ? rpcError(asked, outcome.error) : checkError(check, () => asked, outcome.result);
    };
    const { body, requestedAt, bytes } = await post({
      body: callText(lastId, { method, params }),
      weight,
      inspect,
      answer: kind,
      sent,
      raw: raw && ['result', ...raw],
    });
    return { body: (body as { result: unknown }).result, requestedAt, bytes };
  };

  /** One call of many: an error of the server is its outcome. */
  const callOne = async (
    { method, params, check, answer = 'range' }: RpcCall,
    gathered: Gathered,
  ): Promise<RpcOutcome> => {
    try {
      const { options } = gathered;
      const response = await call(method, params, { ...options, check, answer });
      gathered.add(response);
      return { result: response.body };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (!outcome) throw error;
      return outcome;
    }
  };

  /** Sends the first of `pending` as one batch. Gives those that are to be asked again, after filling in the others' outcomes. */
  const sendBatch = async (
    calls: readonly RpcCall[],
    pending: readonly number[],
    gathered: Gathered,
  ): Promise<number[]> => {
    const { weight = 1, sent, raw } = gathered.options;
    const firstId = lastId + 1;
    const texts = batchTexts(calls, pending, firstId, { calls: size.current(), bytes: largestBody });
    const taken = pending.slice(0, texts.length);
    const later = pending.slice(texts.length);
    const only = taken[0];
    if (taken.length === 1 && only !== undefined) {
      gathered.outcomes[only] = await callOne(calls[only] as RpcCall, gathered);
      size.taken(1);
      return later;
    }
    lastId += taken.length;
    const ids = taken.map((_, i) => firstId + i);
    const asked = `${place} (batch of ${taken.length})`;
    let response: HttpResponse;
    try {
      response = await post({
        body: `[${texts.join(',')}]`,
        weight: weight * taken.length,
        attempts: batchAttempts,
        answer: taken.some((index) => calls[index]?.answer === 'traces') ? 'traces' : 'range',
        sent,
        raw: raw && [each, 'result', ...raw],
        inspect: (body) => errorIn(readBatch(asked, ids, body)),
      });
    } catch (error) {
      if (mayFitWhenSmaller(error)) size.tooMuch(taken.length);
      else if (isRefusal(error)) takesBatches = false;
      else throw error;
      return [...pending];
    }
    gathered.add(response);
    const answers = readBatch(asked, ids, response.body);
    if (answers === 'too large') {
      size.tooMany(taken.length);
      return [...pending];
    }
    if (!(answers instanceof Map)) {
      takesBatches = false;
      return [...pending];
    }

    const tooMuch: number[] = [];
    const transient: number[] = [];
    taken.forEach((index, i) => {
      const outcome = answers.get(String(ids[i])) as RpcOutcome;
      gathered.outcomes[index] = outcome;
      if ('error' in outcome && isTooMuch(outcome.error)) tooMuch.push(index);
      else if (isWorthAsking(outcome, calls[index]?.check)) transient.push(index);
    });
    if (tooMuch.length > 0) size.tooMuch(taken.length, taken.length - tooMuch.length);
    else size.taken(taken.length);

    // The first is asked on its own, with all its attempts: while it fails, so would the others.
    const [first, ...others] = transient;
    if (first === undefined) return [...tooMuch, ...later];
    const outcome = await callOne(calls[first] as RpcCall, gathered);
    gathered.outcomes[first] = outcome;
    const better = !('error' in outcome && isTransient(outcome.error));
    return [...(better ? others : []), ...tooMuch, ...later];
  };

  const callMany: JsonRpc['callMany'] = async (calls, options = {}) => {
    const gathered = gather(calls.length, options);
    let pending = calls.map((_, i) => i);
    while (pending.length > 0 && takesBatches) pending = await sendBatch(calls, pending, gathered);
    await Promise.all(
      pending.map(async (index) => {
        gathered.outcomes[index] = await callOne(calls[index] as RpcCall, gathered);
      }),
    );
    return gathered.response();
  };

  return { call, callMany };
}

/** Outcomes of many calls on their way to one response. */
interface Gathered {
  readonly options: Omit<CallOptions, 'check'>;
  readonly outcomes: RpcOutcome[];
  add(response: { readonly requestedAt: number; readonly bytes: number }): void;
  response(): RpcResponse<RpcOutcome[]>;
}

function gather(calls: number, options: Gathered['options']): Gathered {
  const outcomes = new Array<RpcOutcome>(calls);
  let requestedAt = Date.now();
  let bytes = 0;
  return {
    options,
    outcomes,
    add(response) {
      requestedAt = Math.min(requestedAt, response.requestedAt);
      bytes += response.bytes;
    },
    response: () => ({ body: outcomes, requestedAt, bytes }),
  };
}

function errorIn(answer: BatchAnswer): FirnError | undefined {
  return answer instanceof FirnError ? answer : undefined;
}

/** Whether asking for it alone may give a better outcome: an error that may pass, or a result that is not what was asked for. */
function isWorthAsking(outcome: RpcOutcome, check: Check | undefined): boolean {
  if ('error' in outcome) return isTransient(outcome.error);
  return checkError(check, () => '', outcome.result) !== undefined;
}

function isTooMuch(error: RpcErrorObject): boolean {
  return isTooLarge(error) || error.code === -32002;
}

/** What may come of too much being asked at once: told so, timed out, cut off by the server, or too large for this side. */
function mayFitWhenSmaller(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.retryable || error.context.status === 413 || error.context.reason === 'too_large';
}

/** A status like 400 or 501 may be about batches as such: single calls will tell. */
function isRefusal(error: unknown): boolean {
  return error instanceof FirnError && (error.code === 'refused' || error.context.status === 501);
}

function outcomeOf(error: unknown): RpcOutcome | undefined {
  if (!(error instanceof FirnError)) return undefined;
  const { rpcCode: code, rpcMessage: message = '' } = error.context;
  return code === undefined ? undefined : { error: { code, message } };
}

function switchedOff(place: string, cause: FirnError): FirnError {
  return new FirnError(
    'not_offered',
    `${place} answered 404: the server offers nothing at this path. An index or API that is disabled answers this way: ` +
      'enable it in the node, correct the URL of this source, or leave the stream out of the configuration.',
    { context: cause.context, cause },
  );
}
