import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../core/firnError.ts';
import type { Reading } from '../../core/requests/page.ts';
import type { Request, Response, RpcCall } from '../../core/requests/request.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import { isAnswer, recordsIn, stepsTo } from '../../core/stream/records.ts';
import type { Advance, LookupStream } from '../../core/stream/stream.ts';

/** What a generator asks its driver to do. */
type Step<Given> = Request | Reading<Given> | Advance;

/** Of what a generator may yield. */
const kinds = new Set<Step<unknown>['kind']>(['get', 'post', 'rpc', 'rpcMany', 'read', 'advance']);

/** How the steps of a generator are taken. */
interface Drive<Given> {
  readonly fetch: Fetch;
  /** What the generator gets of an answer. */
  give(request: Request, response: Response): Given;
  /** Reads the rows of a page. */
  read?(page: Given): Promise<void>;
  /** Told how far it got with what was given before. */
  advance?(position: Position): void;
  /** Work to do while a request is under way: the generator is done with all that was given before. */
  meanwhile?(): Promise<void>;
  /** Once raised, nothing more is asked for. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a generator that asks and is answered. An error of a request is thrown into it, so that paging can take another way (a refused
 * page token, a method the node does not offer); all other errors end it.
 *
 * @returns its result; undefined where the signal stopped it
 */
export async function drive<T, Given>(
  asking: Generator<Step<Given>, T, Given>,
  { fetch, give, read, advance, meanwhile, signal }: Drive<Given>,
): Promise<{ readonly value: T } | undefined> {
  const send = async (request: Request) => {
    assertRequest(request);
    const answer = fetch(request);
    // An error is thrown into the generator once it waits for the answer.
    answer.catch(() => {});
    // The HTTP client writes at the next turn of the event loop; work before it would only delay the request.
    if (read || meanwhile) await setImmediate();
    if (read || meanwhile) await setImmediate();
    return { answer };
  };
  const none = undefined as never;
  let ahead: Awaited<ReturnType<typeof send>> | undefined;
  if (typeof asking?.next !== 'function')
    throw new TypeError('A stream asks by a generator: function* () { yield … }.');
  let step = asking.next();
  while (!step.done) {
    const said = step.value;
    if (!kinds.has(said?.kind))
      throw new TypeError(`A stream yields requests, whose "kind" is one of ${[...kinds].join(', ')}.`);
    if (said.kind === 'advance') {
      advance?.(said.position);
      step = asking.next(none);
      continue;
    }
    if (said.kind === 'read') {
      if (said.ahead && !signal?.aborted) ahead = await send(said.ahead);
      await read?.(said.page);
      step = asking.next(none);
      continue;
    }
    if (!ahead && signal?.aborted) return undefined;
    const sent = ahead ?? (await send(said));
    ahead = undefined;
    await meanwhile?.();
    let response: Response;
    try {
      response = await sent.answer;
    } catch (error) {
      step = asking.throw(error);
      continue;
    }
    step = asking.next(give(said, response));
  }
  return { value: step.value };
}

/** An extension's stream may be JavaScript. A quota counts whole units: any other weight would leave it without a sum. */
function assertRequest(request: Request): void {
  if (typeof request.path !== 'string') throw new TypeError(`A request needs a "path", such as '/orders'.`);
  const weight: unknown = 'weight' in request ? (request.weight ?? 0) : 0;
  if (!Number.isSafeInteger(weight) || Number(weight) < 0)
    throw new TypeError(`The "weight" of a request is a whole number of compute units, and cannot be ${weight}.`);
}

/** Runs to its end a generator that only asks. */
export async function answer<T>(asking: Generator<Step<Response>, T, Response>, fetch: Fetch): Promise<T> {
  const end = await drive(asking, { fetch, give: (_, response) => response });
  return (end as { readonly value: T }).value;
}

/**
 * A request whose answer must hold the stream's records: after anything else it is sent again, and it is never taken for an end. The
 * records come unparsed.
 */
export function checked({ records }: Pick<LookupStream, 'records'>, partition: Partition, request: Request): Request {
  if (!isAnswer(records, request.about)) return request;
  const check = (body: unknown) => recordsIn(records, body, partition, request.about);
  const raw = stepsTo(records);
  switch (request.kind) {
    case 'rpcMany':
      return request;
    case 'rpc':
      return { raw, ...request, call: { check, ...request.call } satisfies RpcCall };
    default:
      return { check, raw, ...request };
  }
}

/**
 * Makes rows of an answer. Where one of its unparsed records is no JSON, the answer is asked for again and parsed whole: the
 * client then sees the fault, too, and retries as its policy says.
 *
 * @param parse leaves nothing behind where it throws
 * @param again asks once more with requests as they are made by what it is given
 */
export async function orParsedWhole<Answer, T>(
  answer: Answer,
  parse: (answer: Answer) => T | Promise<T>,
  again: (made: (request: Request) => Request) => Promise<Answer>,
): Promise<T> {
  try {
    return await parse(answer);
  } catch (error) {
    if (!hasCode(error, 'contract')) throw error;
    return parse(await again((request) => ({ ...request, raw: undefined })));
  }
}

/**
 * Sends a request of a stream to its source; limits, retries and redaction lie behind it.
 *
 * @param sent told of each HTTP request that goes out for it: with retries, and where calls do not go as one batch, there are several
 */
export type Fetch = (request: Request, sent?: () => void) => Promise<Response>;

/** The ways to the configured sources, by their names. */
export type Fetches = Readonly<Record<string, Fetch>>;
