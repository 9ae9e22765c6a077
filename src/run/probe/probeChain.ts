import { FirnError } from '../../core/firnError.ts';
import { rawOf } from '../../core/json/answerParts.ts';
import { ignoresTracer } from '../../core/requests/ignoresTracer.ts';
import { isOfPruned, lacksMethod } from '../../core/requests/lacksMethod.ts';
import { lastSecond } from '../../core/rows/lastSecond.ts';
import { quoted } from '../../extract/answers/answerError.ts';
import { timestampOf } from '../../transform/bucketTime.ts';
import type { Fetch } from '../sources/drive.ts';
import { type Attempted, attempt } from './attempt.ts';
import { type Finding, failedFinding, findingState } from './finding.ts';

/** How far back something reaches. */
export type Reach = 'none' | 'recent' | 'genesis';

/** What an EVM chain's JSON-RPC offers. */
export interface ChainOffer {
  /** As the configuration names it: C, a blockchain id. */
  readonly name: string;
  /** Decimal. */
  readonly chainId: string;
  /** Null where the chain does not give it. */
  readonly genesisHash: string | null;
  readonly height: number;
  readonly blocks: Reach;
  readonly receipts: Reach;
  readonly traces: Reach;
}

interface Block {
  readonly transactions?: readonly string[];
  readonly timestamp?: unknown;
}

const quantity = (height: number) => `0x${height.toString(16)}`;
const tracer = { tracer: 'callTracer' };

/**
 * Asks an EVM chain for its id and height, and its genesis, for blocks, receipts and call traces of a new and an old block.
 *
 * @returns no offer where the chain does not even say its id and height
 */
export async function probeChain(
  fetch: Fetch,
  source: string,
  name: string,
  path: string,
): Promise<{ readonly findings: readonly Finding[]; readonly offer?: ChainOffer }> {
  const ask = (method: string, params: unknown[]) =>
    attempt(async () => (await fetch({ kind: 'rpc', path, call: { method, params } })).body);
  const head = await attempt(async () => {
    const [id, height] = await Promise.all([ask('eth_chainId', []), ask('eth_blockNumber', [])]);
    return { chainId: String(quantityIn(id, path)), height: numberIn(height, path) };
  });
  if (head.error) return { findings: [failedFinding(source, `chain ${name}`, head.error)] };
  const { chainId, height } = head.value;
  const [genesis, newest, first, list, traced] = await Promise.all([
    ask('eth_getBlockByNumber', [quantity(0), false]),
    ask('eth_getBlockByNumber', [quantity(height), false]),
    ask('eth_getBlockByNumber', [quantity(Math.min(1, height)), false]),
    ask('eth_getBlockReceipts', [quantity(height)]),
    ask('debug_traceBlockByNumber', [quantity(height), tracer]),
  ]);
  const about = (what: string) => `${what} ${name}`;
  const block = newest.value as Block | null | undefined;
  if (!block) {
    const error = newest.error ?? nothing(path, `block ${height}`);
    return { findings: [failedFinding(source, about('chain'), error)] };
  }
  const blocks: Reach = first.value != null ? 'genesis' : 'recent';
  const middle = quantity(Math.floor((height + 1) / 2));
  const single = block.transactions?.[0];
  // Of several nodes behind one URL, another one may not have executed the newest block yet.
  const lists = isList(list) ? list : await ask('eth_getBlockReceipts', [middle]);
  const receipts = await receiptsOf(
    isList(lists) ? lists : list,
    async () => single === undefined || (await ask('eth_getTransactionReceipt', [single])),
  );
  // A pruning node traces only new blocks.
  const old = isList(traced) ? await ask('debug_traceBlockByNumber', [middle, tracer]) : traced;
  // A block without transactions does not tell by which tracer it was traced.
  const told = [traced, old].some(hasSteps) ? { traced: noCalls, old: noCalls } : { traced, old };
  const traces = reachOf(told.traced, told.old, { height, blocks });
  const sentence = `chain id ${chainId} at height ${shown(height)}${timeOf(block)}`;
  return {
    findings: [
      { source, about: about('chain'), state: 'ok', sentence },
      ...historyOf(source, about('history'), first, path),
      { source, about: about('receipts'), ...receipts },
      { source, about: about('traces'), ...tracesOf(traces, told.old, path) },
    ],
    offer: {
      name,
      chainId,
      genesisHash: hashIn(genesis),
      height,
      blocks,
      receipts: receipts.code === undefined || receipts.state === 'missing' ? blocks : 'none',
      traces,
    },
  };
}

/** What there is to say where a chain does not give its first block. */
function historyOf(source: string, about: string, first: Attempted<unknown>, path: string): Finding[] {
  if (first.value != null) return [];
  if (first.error && isSilent(first.error)) return [failedFinding(source, about, first.error)];
  const sentence = `${path} does not give block 1: cumulative metrics need every block since genesis. Ask a node that holds the whole history.`;
  return [{ source, about, state: 'missing', sentence, code: 'not_offered' }];
}

/** How far back call traces reach, from the answers about a new and an old block. */
function reachOf(
  traced: Attempted<unknown>,
  old: Attempted<unknown>,
  { height, blocks }: { readonly height: number; readonly blocks: Reach },
): Reach {
  if (isGenesis(traced, height)) return 'genesis';
  // One that does not answer just now may have them: "none" would have them left out for good.
  if (traced.error && (isPruned(traced.error) || isSilent(traced.error))) return 'recent';
  if (!isList(traced)) return 'none';
  return isList(old) && blocks === 'genesis' ? 'genesis' : 'recent';
}

type Judgement = Pick<Finding, 'state' | 'sentence' | 'code'>;

/** Genesis has no traces. A node that says so, on a chain without another block, can trace. */
const isGenesis = (traced: Attempted<unknown>, height: number) =>
  height === 0 && traced.error?.context.rpcMessage !== undefined && !isAbsent(traced.error);

const isAbsent = ({ code, context }: FirnError) => code === 'not_offered' || lacksMethod(context.rpcMessage ?? '');

/** A node that has pruned the state of a block has the method all the same. */
const isPruned = ({ context }: FirnError) => isOfPruned(context.rpcMessage ?? '');

/** No answer came, or the server takes no more for now: that tells nothing of what the node has. */
const isSilent = ({ code, context }: FirnError) =>
  code === 'rate_limited' || (code === 'unavailable' && context.rpcMessage === undefined);

/** Whether a list of traces is that of a node which does not know callTracer. */
const hasSteps = (outcome: Attempted<unknown>) =>
  Array.isArray(outcome.value) && ignoresTracer(rawOf(outcome.value[0])['result']);
const noCalls: Attempted<unknown> = {
  error: new FirnError('not_offered', 'steps of the machine in place of calls, as it does not know callTracer.'),
};

const isList = ({ value }: Attempted<unknown>) => Array.isArray(value);
/** When the newest block came: a node whose chain stands still says everything else as ever. */
const timeOf = ({ timestamp }: Block): string => {
  const seconds = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
  return seconds > 0 && seconds <= lastSecond ? ` of ${timestampOf(seconds)} UTC` : '';
};
const shown = (height: number) => height.toLocaleString('en-US');

/** Where eth_getBlockReceipts is missing, receipts are asked for one by one. */
async function receiptsOf(
  list: Attempted<unknown>,
  single: () => Promise<Attempted<unknown> | true>,
): Promise<Judgement> {
  if (isList(list)) return { state: 'ok', sentence: 'eth_getBlockReceipts' };
  const one = await single();
  if (one === true || one.value != null) {
    const sentence =
      'eth_getBlockReceipts is not offered: receipts are asked for one by one, which takes more requests.';
    return { state: 'missing', sentence, code: 'not_offered' };
  }
  const error = one.error ?? list.error ?? nothing('The chain', 'receipts');
  const state = findingState(error);
  return { state: state === 'missing' ? 'refused' : state, sentence: error.message, code: error.code };
}

function tracesOf(reach: Reach, old: Attempted<unknown>, path: string): Judgement {
  if (reach === 'genesis' || isList(old)) return { state: 'ok', sentence: 'debug_traceBlockByNumber' };
  if (old.error && isSilent(old.error)) {
    const { code, message } = old.error;
    return { state: 'unreachable', sentence: `Which blocks it traces is not known: ${message}`, code };
  }
  const error = old.error ?? nothing(path, 'traces');
  if (reach === 'recent') {
    const sentence = `debug_traceBlockByNumber answers only for blocks whose state the node holds. Disable pruning in the node to trace old ones. Asked for an old one, it said${said(error)}`;
    return { state: 'missing', sentence, code: 'not_offered' };
  }
  const state = findingState(error);
  const sentence =
    'No call traces, so contracts, deployers and their cumulative metrics are not covered. Enable the debug-tracer API (from avalanchego 1.15 on trace) ' +
    `in a node of your own, or set traces: false. It said${said(error)}`;
  return { state: isAbsent(error) && state === 'refused' ? 'missing' : state, sentence, code: error.code };
}

/** The server's own words, if any, for the end of a sentence. */
const said = ({ context, message }: FirnError) =>
  context.rpcMessage === undefined ? `: ${message}` : `${quoted(context.rpcMessage)}.`;

function hashIn(outcome: Attempted<unknown>): string | null {
  const hash = (outcome.value as { hash?: unknown } | null | undefined)?.hash;
  return typeof hash === 'string' ? hash.toLowerCase() : null;
}

/** A chain id may be larger than a number holds exactly, up to 256 bits: of millions of digits the decimal ones would take minutes. */
function quantityIn(outcome: Attempted<unknown>, path: string): bigint {
  if (outcome.error) throw outcome.error;
  const { value } = outcome;
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw nothing(path, 'chain id and height');
}

function numberIn(outcome: Attempted<unknown>, path: string): number {
  const number = Number(quantityIn(outcome, path));
  if (Number.isSafeInteger(number)) return number;
  throw nothing(path, 'chain id and height');
}

const nothing = (path: string, what: string) =>
  new FirnError('contract', `${path} gives no ${what}. Check that the URL of this source is that of an EVM chain.`);
