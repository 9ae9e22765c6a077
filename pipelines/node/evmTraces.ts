import {
  type Asking,
  FirnError,
  ignoresTracer,
  isOfPruned,
  isUnanswered,
  lacksBlock,
  memberOf,
  RawValue,
  type RpcOutcome,
  takesNoMore,
  textIn,
  textOf,
} from '../../src/index.ts';
import { askByHash, type CallByHash } from './askByHash.ts';
import { type FlatFrame, flattenRawTrace, flattenTrace } from './flattenTrace.ts';
import { timesAsked } from './timesAsked.ts';

/** One item of debug_traceBlockByNumber: an error may stand in place of a trace, though the request succeeded. */
interface TraceItem {
  readonly txHash?: unknown;
  /** A RawValue where the list came unparsed. */
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Whether a transaction was traced, and what the node said where not. */
interface TraceStatus {
  readonly txIndex: number;
  readonly traceStatus: 'traced' | 'not_asked_for' | 'not_offered' | 'failed';
  readonly traceError?: string;
}

interface Traces {
  readonly frames: readonly (FlatFrame | RawValue)[];
  readonly traceStatuses: readonly (TraceStatus | RawValue)[];
}

/** What the node says of the traces of a block. */
export interface BlockTraces {
  readonly outcome: RpcOutcome | undefined;
  readonly items: readonly TraceItem[] | undefined;
}

/** What counts as said by a node that traces, but not calls. */
export const noCallTracer: RpcOutcome = { error: { code: -32601, message: 'the node does not know callTracer' } };

export function blockTraces(outcome: RpcOutcome | undefined): BlockTraces {
  const items = itemsOf(outcome?.result);
  return ignoresTracer(items?.[0]?.result) ? { outcome: noCallTracer, items: undefined } : { outcome, items };
}

function itemsOf(list: unknown): readonly TraceItem[] | undefined {
  if (Array.isArray(list)) return list;
  const raws = list instanceof RawValue ? list.itemsWith(['txHash', 'result', 'error']) : undefined;
  return raws?.map(({ members: [txHash, result, error] }) => ({
    txHash: txHash?.parse(),
    // Null is not a trace.
    result: result?.isObject() ? result : undefined,
    error: error?.parse(),
  }));
}

/**
 * Makes sure that the node's word is about the traces of a block: what will pass must not be kept as a failure to trace it.
 *
 * @param outcome of the block, or of one of its transactions
 * @throws FirnError `unavailable`
 */
export function assertTold(outcome: RpcOutcome | undefined, height: number, path: string): void {
  if (!outcome?.error) return;
  const { error } = outcome;
  if (
    takesNoMore(error) ||
    (lacksBlock(error.message) && !isOfParent(error.message, height)) ||
    lacksIt.test(error.message)
  )
    throw noTraces(path, height, error.message);
}

/** Whether it is the block before that is lacking, on whose state its transactions stand: the first one after a state sync is never traced. */
const isOfParent = (said: string, height: number): boolean => said.includes(`#${height - 1} `);

/** Words of a node that is not ready, and those of EIP-1474 for what one lacks: of a transaction of it, such a node may give steps of the machine. */
const lacksIt = /not done bootstrapping|^(requested )?resource not found/i;

/** The error of a node that has a block, and says nothing of its traces yet. */
const noTraces = (path: string, height: number, said: string) =>
  new FirnError(
    'unavailable',
    `${path} gives no traces of block ${height} (${said}), though it has the block. Several nodes behind one URL, or too many requests? The next run asks again; ` +
      'if this persists, set traces: false.',
    { retryable: true, context: { lacks: height } },
  );

/**
 * Traces transactions that were not traced with their blocks, one by one; those of a few blocks only, where all blocks, and each of these
 * transactions, are refused in the same words.
 *
 * @param blocks their heights, the hashes of those transactions, and how the traces of the block were refused
 * @returns the outcomes by hash, `noCallTracer` among them
 * @throws FirnError `unavailable` where the node has no answer to one
 */
export function* traceEach(
  path: string,
  blocks: readonly { readonly height: number; readonly hashes: readonly string[]; readonly said: string | undefined }[],
): Asking<ReadonlyMap<string, RpcOutcome>> {
  const all = blocks.flatMap(({ height, hashes }) => hashes.map((hash) => ({ hash, height })));
  const refused = blocks.filter(({ hashes }) => hashes.length > 0);
  const [said, ...others] = new Set(refused.map((block) => block.said));
  if (said === undefined || others.length > 0) return yield* traceAlone(path, all);
  const last = refused[timesAsked - 1]?.height ?? Number.POSITIVE_INFINITY;
  const first = yield* traceAlone(
    path,
    all.filter(({ height }) => height <= last),
  );
  if ([...first.values()].every(({ error }) => error?.message === said)) return first;
  const rest = yield* traceAlone(
    path,
    all.filter(({ height }) => height > last),
  );
  return new Map([...first, ...rest]);
}

function* traceAlone(
  path: string,
  alone: readonly { readonly hash: string; readonly height: number }[],
): Asking<ReadonlyMap<string, RpcOutcome>> {
  try {
    const told = yield* askByHash(
      path,
      alone.map(({ hash, height }) => traceCall(hash, height, path)),
    );
    return new Map([...told].map(([hash, outcome]) => [hash, ignoresTracer(outcome.result) ? noCallTracer : outcome]));
  } catch (error) {
    const [first] = alone;
    throw first && error instanceof FirnError && isUnanswered(error)
      ? noTraces(path, first.height, error.message)
      : error;
  }
}

const traceCall = (hash: string, height: number, path: string): CallByHash => ({
  method: 'debug_traceTransaction',
  params: [hash, { tracer: 'callTracer' }],
  check(frame) {
    if (frame === null) throw noTraces(path, height, 'null');
    if (!ignoresTracer(frame)) textOf(memberOf(frame, 'type'));
  },
  answer: 'traces',
  mayExceed: true,
});

/** Transactions that the node failed to trace with their block, and may trace alone. */
export function tracedAlone({ hashes, traces }: { hashes: () => readonly string[]; traces: BlockTraces }) {
  const { items, outcome } = traces;
  if (items) return hashes().filter((hash, i) => frameOf(items[i], hash) === undefined);
  // Null in place of the list comes from a node that does not have the block yet, or none of its traces. One transaction that takes too long,
  // or an answer that is too large, fails the block; where its state was pruned, each would fail.
  return outcome && !(outcome.error && isOfPruned(outcome.error.message)) ? hashes() : [];
}

/**
 * Call frames and trace status of every transaction of a block.
 *
 * @param answer the outcome of debug_traceBlockByNumber
 * @param singles outcomes of debug_traceTransaction by hash
 * @param traced whether an answer held traces: what does not know the tracer is then another node behind the same URL
 */
export function tracesOf(
  hashes: readonly string[],
  { items, outcome }: BlockTraces,
  singles: ReadonlyMap<string, RpcOutcome>,
  { traced }: { readonly traced: boolean },
): Traces {
  const frames: (FlatFrame | RawValue)[] = [];
  const traceStatuses = hashes.map((hash, txIndex): TraceStatus => {
    const single = singles.get(hash);
    if (single === noCallTracer && !traced) return { txIndex, traceStatus: 'not_offered' };
    const root = frameOf(items?.[txIndex], hash) ?? single?.result;
    if (root) {
      for (const frame of flatten(txIndex, root)) frames.push(frame);
      return { txIndex, traceStatus: 'traced' };
    }
    const own = items?.[txIndex]?.error ?? '';
    const said = [outcome, single].flatMap((one) => one?.error?.message ?? []);
    const traceError = textIn(own) || said[0] || 'the node left it out';
    return { txIndex, traceStatus: 'failed', traceError };
  });
  return { frames, traceStatuses };
}

/** What the node said of a transaction of a block that it failed to trace. */
export function untracedIn({ traceStatuses }: Traces, height: number): string | undefined {
  const failed = traceStatuses.find((one) => !(one instanceof RawValue) && one.traceStatus === 'failed');
  return failed && `block ${height}: ${(failed as TraceStatus).traceError?.slice(0, 200)}`;
}

/** The trace status of the transactions of a block without traces: the same for all blocks, and made once. */
export function withoutTraces(transactions: number, traceStatus: 'not_asked_for' | 'not_offered'): Traces {
  let statuses = untold.get(traceStatus) ?? [];
  if (statuses.length < transactions) {
    const length = Math.max(64, 2 * transactions);
    statuses = RawValue.of(Array.from({ length }, (_, txIndex) => JSON.stringify({ txIndex, traceStatus })));
    untold.set(traceStatus, statuses);
  }
  return { frames: [], traceStatuses: statuses.slice(0, transactions) };
}

const untold = new Map<string, readonly RawValue[]>();

const flatten = (txIndex: number, root: unknown) =>
  root instanceof RawValue ? flattenRawTrace(txIndex, root) : flattenTrace(txIndex, root);

/** The trace of an item, if it has one that belongs to this transaction. Older nodes do not name the transaction. */
const frameOf = (item: TraceItem | undefined, hash: string): unknown =>
  item?.txHash === undefined || item.txHash === hash ? (item?.result ?? undefined) : undefined;
