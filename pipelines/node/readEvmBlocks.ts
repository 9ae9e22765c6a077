import {
  type Asking,
  FirnError,
  isOfPruned,
  lacksMethod,
  listOf,
  memberOf,
  quantityOf,
  RawValue,
  type RpcCall,
  type RpcOutcome,
  takesNoMore,
  textOf,
  wrongAnswer,
} from '../../src/index.ts';
import { askByHash, type CallByHash } from './askByHash.ts';
import { askMany, askRpc } from './askRpc.ts';
import { noReceipt, singleReceipts, trustedReceipts, wholeReceipts } from './evmReceipts.ts';
import {
  assertTold,
  type BlockTraces,
  blockTraces,
  noCallTracer,
  tracedAlone,
  traceEach,
  tracesOf,
  untracedIn,
  withoutTraces,
} from './evmTraces.ts';
import { estimateTransactions, hashesOf, partOf } from './rawParts.ts';
import { timesAsked } from './timesAsked.ts';

type Raw = Record<string, unknown>;

/** One EVM chain of the node. */
export interface EvmSettings {
  readonly path: string;
  readonly traces: boolean;
}

/** A block whose receipts and traces are not known yet. */
interface Headed {
  readonly block: unknown;
  readonly height: number;
  readonly transactions: number;
  /** Hashes of its transactions, found by a walk when they are first asked for. */
  readonly hashes: () => readonly string[];
}

/** What a read finds the node to lack. */
export interface EvmLacks {
  blockReceipts: boolean;
  traces: boolean;
  /** Traces of some blocks, which were taken without: also where another node behind the same URL gave those of others right after. */
  someTraces: boolean;
  /** Nothing of traces, since an answer held some: what others do not offer is then said by another node behind the same URL. */
  traced: boolean;
  /** Lists of receipts that are surely those of their blocks: each is then looked through before it is taken. */
  agreement: boolean;
  /** Places of logs in their blocks, of which it says those in their receipts. */
  countsAnew: boolean;
  /** A transaction that could not be traced, such as the first one that was met: what the node said, and of which block. */
  untraced: string | undefined;
}

export const quantity = (height: number) => `0x${height.toString(16)}`;

/**
 * Height of the newest block that is accepted and executed. A node with `allow-unfinalized-queries` has later ones too, which others may replace.
 * From Helicon on it calls finalized what is settled, some seconds later, and its newest is the last one that is executed: this is asked for, and
 * so it is of a node that does not know the tag.
 */
export function* newestBlock(path: string): Asking<number> {
  const accepted = { method: 'eth_getBlockByNumber', params: ['finalized', false], check: isBlock };
  try {
    const answer = yield { kind: 'rpc', path, call: accepted };
    const { number, settledHeight } = (answer.body ?? {}) as Raw;
    if (answer.body !== null && (settledHeight ?? null) === null) return quantityOf(number);
  } catch (error) {
    if (!(error instanceof FirnError) || error.context.rpcCode === undefined) throw error;
  }
  return yield* askRpc({ kind: 'rpc', path, call: { method: 'eth_blockNumber', params: [] } }, quantityOf);
}

/** Time of a block, Unix seconds. */
export function* blockTime(path: string, height: number): Asking<number> {
  const { timestamp } = yield* blockHeader(path, height, { look: true });
  return Number(timestamp);
}

/** A block with the hashes of its transactions only. Throws FirnError `unavailable` where the node has none. */
export function* blockHeader(path: string, height: number, as: { look?: boolean } = {}): Asking<Raw> {
  // Taken for the one that was asked for, another block would be another chain's.
  const check = (body: unknown) => {
    isBlock(body);
    if (body !== null && quantityOf(memberOf(body, 'number')) !== height) throw wrongAnswer(body, `block ${height}`);
  };
  const call = { method: 'eth_getBlockByNumber', params: [quantity(height), false], check };
  const answer = yield { kind: 'rpc', path, call, ...as };
  if (answer.body === null) throw noBlock(path, height, 'null');
  return answer.body as Raw;
}

/**
 * The blocks `from`..`to` with transactions, receipts and call frames, as `evmSchemas` describes them. Receipts and traces are asked for
 * once the blocks are known: a block without transactions (genesis too) has none.
 */
export function* readEvmBlocks(
  settings: EvmSettings,
  from: number,
  to: number,
  lacks: EvmLacks,
): Asking<readonly RawValue[]> {
  const { path } = settings;
  const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const outcomes = yield* askMany(path, heights.map(blockCall), []);
  const headed = heights.map((height, i) => headOf(blockOf(outcomes[i], height, path), height, lacks));
  const details = yield* askDetails(
    settings,
    lacks,
    headed.filter(({ transactions }) => transactions > 0).map(({ height }) => height),
  );
  const blocks = headed.map((block) => {
    const { receipts, traces } = details(block.height);
    if (isNotOffered(receipts)) lacks.blockReceipts = true;
    return { ...block, traces: traces ?? blockTraces(undefined), receipts: receiptsOf(block, receipts, lacks) };
  });
  for (const { traces, height } of blocks) assertTold(traces.outcome, height, path);

  const singles = yield* askByHash(
    path,
    blocks.flatMap(({ receipts, hashes, height }) =>
      receipts ? [] : hashes().map((hash) => receiptCall(hash, height)),
    ),
  );
  const alone = blocks
    .filter(({ traces: { outcome } }) => !isNotOffered(outcome) || lacks.traced)
    .map((one) => ({ height: one.height, hashes: tracedAlone(one), said: one.traces.outcome?.error?.message }));
  const traced = yield* traceEach(path, alone);
  if ([...traced.values()].includes(noCallTracer)) lacks.traces = !lacks.traced;
  for (const { hashes, height } of alone) for (const hash of hashes) assertTold(traced.get(hash), height, path);
  lacks.someTraces ||= lacks.traces;
  return blocks.map((one) => {
    const { block, height } = one;
    const calls = tracesIn(one, settings, traced, lacks);
    lacks.untraced ??= untracedIn(calls, height);
    const members = {
      // Some proxies write an empty text for the total difficulty that newer nodes leave out.
      ...(memberOf(block, 'totalDifficulty') === '' && { totalDifficulty: null }),
      receipts: one.receipts ?? singleReceipts({ ...one, hashes: one.hashes() }, singles, path),
      ...calls,
    };
    return RawValue.from(block).with(
      Object.fromEntries(Object.entries(members).map(([name, value]) => [name, partOf(value)])),
    );
  });
}

/** What is known of a block before its receipts: without agreement its transactions are counted by a walk, else they are estimated. */
function headOf(block: unknown, height: number, { agreement }: EvmLacks): Headed {
  let known: readonly string[] | undefined;
  const hashes = () => {
    known ??= hashesOf(block);
    return known;
  };
  const isTrusted = !agreement && block instanceof RawValue;
  return { block, height, hashes, transactions: isTrusted ? estimateTransactions(block) : hashes().length };
}

/** The receipts of a block that were given with one call; undefined where each is to be asked for by its transaction. */
function receiptsOf(block: Headed, receipts: RpcOutcome | undefined, { agreement }: EvmLacks) {
  if (block.transactions === 0) return [];
  const trusted = agreement ? undefined : trustedReceipts(receipts);
  return trusted ?? wholeReceipts({ ...block, hashes: block.hashes() }, receipts);
}

/** The traces of a block as the node gave them, or why there are none. */
function tracesIn(
  { transactions, hashes, traces }: Headed & { readonly traces: BlockTraces },
  settings: EvmSettings,
  singles: ReadonlyMap<string, RpcOutcome>,
  lacks: EvmLacks,
) {
  if (!settings.traces) return withoutTraces(transactions, 'not_asked_for');
  const { outcome } = traces;
  if (outcome === undefined || (isNotOffered(outcome) && !lacks.traced))
    return withoutTraces(transactions, 'not_offered');
  return tracesOf(hashes(), traces, singles, lacks);
}

const receiptCall = (hash: string, height: number): CallByHash => ({
  method: 'eth_getTransactionReceipt',
  params: [hash],
  // A node behind the one that gave the block may not have it yet: it is asked again before the range fails.
  check(receipt) {
    if (receipt === null) throw noReceipt(`the node gives no receipt of transaction ${hash} (null)`, height);
  },
});

/** A block, or null where a node has none yet: what that means depends on what its head was said to be. */
function isBlock(body: unknown): void {
  if (body === null) return;
  textOf(memberOf(body, 'hash'));
  quantityOf(memberOf(body, 'timestamp'));
  if (!(body instanceof RawValue)) listOf(body, 'transactions');
  else if (!body.member('transactions')?.isList()) throw wrongAnswer(body.parse(), 'list "transactions"');
}

/** Null stands for what a node lacks: each receipt and trace is then asked for by its transaction. */
function isListOrNull(body: unknown): void {
  const isList = body instanceof RawValue ? body.isList() : Array.isArray(body);
  if (body !== null && !isList) throw wrongAnswer(body, 'list');
}

const blockCall = (height: number): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [quantity(height), true],
  // A node behind the one that told the head may not have it yet: it is asked again before the range fails.
  check(block) {
    if (block === null) throw noBlock('the node', height, 'null');
    isBlock(block);
  },
});
/** Where all of a block are more than is taken of one answer, or than the node gives in its time, each is asked for by its transaction. */
const receiptsCall = (height: number): RpcCall => ({
  method: 'eth_getBlockReceipts',
  params: [quantity(height)],
  mayExceed: true,
  inParts: true,
});
const tracesCall = (height: number): RpcCall => ({
  method: 'debug_traceBlockByNumber',
  params: [quantity(height), { tracer: 'callTracer' }],
  check: isListOrNull,
  answer: 'traces',
  mayExceed: true,
  inParts: true,
});

/** What the node says of the receipts and traces of a block; undefined where it was not asked. */
interface Details {
  readonly receipts: RpcOutcome | undefined;
  readonly traces: BlockTraces | undefined;
}

/** Asks for the receipts and traces of blocks, as far as they are wanted and the node is not known to lack them. */
function* askDetails(
  { path, traces }: EvmSettings,
  lacks: EvmLacks,
  heights: readonly number[],
): Asking<(height: number) => Details> {
  const wanted = [...(lacks.blockReceipts ? [] : [receiptsCall]), ...(traces && !lacks.traces ? [tracesCall] : [])];
  const calls = heights.flatMap((height) => wanted.map((call) => call(height)));
  const outcomes = yield* askMany(path, calls, []);
  const of = (call: (height: number) => RpcCall, height: number) => {
    const first = heights.indexOf(height) * wanted.length;
    return first >= 0 && wanted.includes(call) ? outcomes[first + wanted.indexOf(call)] : undefined;
  };
  const told = new Map(heights.map((height) => [height, blockTraces(of(tracesCall, height))]));
  yield* askForTraces(path, told, lacks);
  return (height) => ({ receipts: of(receiptsCall, height), traces: told.get(height) });
}

/** Whether another node behind the URL may have the traces: once there are any, also those of a block whose state this one has pruned. */
const isElsewhere = (outcome: RpcOutcome | undefined, { traced }: EvmLacks): boolean =>
  isNotOffered(outcome) || (traced && outcome?.error !== undefined && isOfPruned(outcome.error.message));

/** Asks again for traces that an answer does not offer: for those of one block, until it is known that there are any. */
function* askForTraces(path: string, told: Map<number, BlockTraces>, lacks: EvmLacks): Asking<void> {
  for (let without = 1; ; without++) {
    lacks.traced ||= [...told.values()].some(({ items }) => items);
    const left = [...told.keys()].filter((height) => isElsewhere(told.get(height)?.outcome, lacks));
    if (without === timesAsked) lacks.traces = left.length > 0;
    lacks.traces &&= !lacks.traced;
    if (left.length === 0 || lacks.traces || without === timesAsked) return;
    const asked = lacks.traced ? left : left.slice(0, 1);
    const outcomes = yield* askMany(path, asked.map(tracesCall), []);
    for (const [i, height] of asked.entries()) told.set(height, blockTraces(outcomes[i]));
  }
}

function blockOf(outcome: RpcOutcome | undefined, height: number, path: string): unknown {
  if (outcome && !outcome.error) return outcome.result;
  if (outcome && takesNoMore(outcome.error)) {
    const what = `${path} takes no more requests for now, and gives no block ${height} (${outcome.error.message})`;
    throw new FirnError('rate_limited', `${what}. Run again later: what was committed stays.`, { retryable: true });
  }
  throw noBlock(path, height, outcome?.error.message ?? 'null');
}

function noBlock(path: string, height: number, said: string): FirnError {
  const next =
    'The next run asks again; if this persists, the node keeps no old blocks: ask one that does, or, on the first read, begin later (from).';
  return new FirnError(
    'unavailable',
    `${path} has no block ${height} (${said}) though its head is above it. Several nodes behind one URL? ${next}`,
    { retryable: true, context: { lacks: height, next } },
  );
}

/** Whether the node does not know the method at all. */
function isNotOffered(outcome: RpcOutcome | undefined): boolean {
  if (!outcome?.error) return false;
  const { code, message } = outcome.error;
  return code === -32601 || lacksMethod(message);
}
