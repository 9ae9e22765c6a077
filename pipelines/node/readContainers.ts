import {
  type Asking,
  FirnError,
  hasCode,
  listOf,
  RawValue,
  textOf,
  wholeNumberOf,
  wrongAnswer,
} from '../../src/index.ts';
import { askRpc, type RpcRequest } from './askRpc.ts';
import { rpcMessage } from './rpcMessage.ts';

/** What one read finds out about an index: how many containers the node gives at once. */
export interface IndexState {
  most: number;
}

/** Containers asked for at once: the specification's maximum. */
export const rangeSize = 1024;

/** Index of the last container, or null where none has been accepted. @param path of the index, such as `/ext/index/C/block` */
export function* lastIndex(path: string): Asking<number | null> {
  try {
    // An empty index may answer null.
    return yield* askRpc(indexCall(path, 'getLastAccepted', {}), (body) => (body === null ? null : indexOf(body)));
  } catch (error) {
    if (/no containers have been accepted/.test(rpcMessage(error))) return null;
    throw error;
  }
}

/**
 * The containers `from`..`to`. An answer that ends early is continued; a node that allows less at once is asked for less.
 *
 * @param allowIncomplete go on behind indexes that the node does not have
 */
export function* readContainers(
  path: string,
  from: number,
  to: number,
  { allowIncomplete, state }: { readonly allowIncomplete: boolean; readonly state: IndexState },
): Asking<readonly RawValue[]> {
  const found: RawValue[] = [];
  let next = from;
  let misses = 0;
  while (next <= to && misses < 2) {
    const { containers, asked } = yield* askRange(path, next, to - next + 1, { allowIncomplete, state });
    const good = allowIncomplete ? ascending(containers, next, to) : consecutive(containers, next);
    for (const container of good) found.push(withTimeText(container));
    const last = good.at(-1);
    if (last !== undefined) next = positionOf(last) + 1;
    else if (allowIncomplete) next += asked;
    // Missing containers are asked for again: one answer may be at fault. If they are missing again, the index lacks them.
    misses = last === undefined && !allowIncomplete ? misses + 1 : 0;
  }
  return found;
}

/** Keeps the text of the time beside it: the column cuts it. */
function withTimeText(container: RawValue): RawValue {
  const timestampText = container.member('timestamp');
  return timestampText ? container.with({ timestampText }) : container;
}

/** Index of a container; NaN where it cannot be read. */
const positionOf = (container: RawValue): number => container.number('index');

/** First index that the node has, by bisection: an index may begin above zero where incomplete ones are allowed. */
export function* firstIndex(path: string, head: number): Asking<number> {
  let low = 0;
  let high = head;
  while (low < high) {
    // Most indexes begin at zero: this is asked first.
    const middle = low === 0 && high === head ? 0 : Math.floor((low + high) / 2);
    if (yield* hasIndex(path, middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** When the node accepted a container, Unix seconds. */
export function* containerTime(path: string, index: number): Asking<number> {
  return yield* askRpc(containerAt(path, index), (body) => {
    const seconds = Math.floor(Date.parse(textOf(body, 'timestamp')) / 1000);
    if (Number.isNaN(seconds)) throw wrongAnswer(body, 'time of a container');
    return seconds;
  });
}

/** Whether the node still counts a container as it did when it was read. Throws FirnError `unavailable` where it has none there yet. */
export function* holdsContainer(path: string, id: string, index: number): Asking<boolean> {
  let isElsewhere = false;
  try {
    if ((yield* askRpc(indexCall(path, 'getIndex', { id }), indexOf)) === index) return true;
    isElsewhere = true;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    // Of several nodes behind one URL the one that does not know it may be behind the one that answers now. A server that plays a recording over
    // and over names one of its places.
    return (yield* askRpc(containerAt(path, index), (body) => textOf(body, 'id'))) === id;
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (isElsewhere) return false;
    throw notYet(`${path} has nothing at index ${index}`, error);
  }
}

function* hasIndex(path: string, index: number): Asking<boolean> {
  try {
    return (yield* askRpc(containerAt(path, index), indexOf)) === index;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

interface RangeAnswer {
  readonly containers: readonly RawValue[];
  /** How many were asked for: fewer than wanted where the node allows no more. */
  readonly asked: number;
}

function* askRange(
  path: string,
  startIndex: number,
  wanted: number,
  how: { readonly allowIncomplete: boolean; readonly state: IndexState },
): Asking<RangeAnswer> {
  const { allowIncomplete, state } = how;
  const numToFetch = Math.min(wanted, state.most);
  try {
    const range = indexCall(path, 'getContainerRange', { startIndex, numToFetch });
    const containers = yield* askRpc({ ...range, raw: ['containers', '[]'] }, containersOf);
    return { containers, asked: numToFetch };
  } catch (error) {
    const most = smallerRange(error, numToFetch);
    if (most !== undefined) {
      state.most = Math.min(state.most, most);
      return yield* askRange(path, startIndex, wanted, how);
    }
    if (allowIncomplete && isMissing(error)) {
      // Where a range touches a hole the whole of it may be refused: half is asked for, down to a single container.
      if (numToFetch === 1) return { containers: [], asked: 1 };
      return yield* askRange(path, startIndex, Math.floor(numToFetch / 2), how);
    }
    throw isBehind(error) ? notYet(`${path}: ${rpcMessage(error)}`, error, startIndex) : error;
  }
}

/** `{containers: [...]}`, or a bare list. Never null: that answers only who asks for nothing. */
const containersOf = (body: unknown) =>
  (Array.isArray(body) ? body : listOf(body, 'containers')).map((container) => RawValue.from(container));

const indexOf = (body: unknown) => wholeNumberOf(body, 'index');

/** The part of an answer before its first hole. */
function consecutive(containers: readonly RawValue[], from: number): readonly RawValue[] {
  const hole = containers.findIndex((container, i) => positionOf(container) !== from + i);
  return hole < 0 ? containers : containers.slice(0, hole);
}

/** The containers of an answer that lie in the range, each behind the one before. */
function ascending(containers: readonly RawValue[], from: number, to: number): readonly RawValue[] {
  let next = from;
  return containers.filter((container) => {
    const position = positionOf(container);
    if (!(position >= next && position <= to)) return false;
    next = position + 1;
    return true;
  });
}

/** How many to ask for after a refusal of too many: what the node names as its maximum, else half. */
function smallerRange(error: unknown, asked: number): number | undefined {
  const [, named] = /numToFetch must be in \[\d+,\s*(\d+)\]/.exec(rpcMessage(error)) ?? [];
  const most = Number(named);
  if (most >= 1 && most < asked) return most;
  // The answer is too large for this side: some containers are.
  if (error instanceof FirnError && error.context.reason === 'too_large' && asked > 1) return Math.floor(asked / 2);
  const unexplained = hasCode(error, 'refused') && !isMissing(error) && !isBehind(error);
  return unexplained && asked > 1 && /fetch|range|max|too (?:many|large)/i.test(rpcMessage(error))
    ? Math.floor(asked / 2)
    : undefined;
}

const isMissing = (error: unknown) => /no container at index|not found/.test(rpcMessage(error));
const isBehind = (error: unknown) => /> last accepted index|no containers have been accepted/.test(rpcMessage(error));

/** The error of a node that is behind the one that gave the head. */
const notYet = (what: string, cause: unknown, lacks?: number) =>
  new FirnError(
    'unavailable',
    `${what}, though the node named a later one before. Several nodes behind one URL? Run again later: what was committed stays.`,
    { retryable: true, cause, context: { lacks } },
  );

/** The question for one container by its position. */
export const containerAt = (path: string, index: number): RpcRequest =>
  indexCall(path, 'getContainerByIndex', { index });

/** A question to an index. */
export const indexCall = (path: string, method: string, params: object): RpcRequest => ({
  kind: 'rpc',
  path,
  call: { method: `index.${method}`, params: { ...params, encoding: 'hex' }, answer: 'range' },
});
