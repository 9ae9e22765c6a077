import type { RpcOutcome } from '../../src/index.ts';
import { type CallFrame, type FlatFrame, flattenTrace } from './flattenTrace.ts';

/** One item of debug_traceBlockByNumber: an error may stand where a trace should, though the request succeeded. */
interface TraceItem {
  readonly txHash?: string;
  readonly result?: CallFrame;
  readonly error?: string;
}

/** Whether a transaction was traced, and what the node said where not. */
interface TraceStatus {
  readonly txIndex: number;
  readonly traceStatus: 'traced' | 'not_asked_for' | 'not_offered' | 'failed';
  readonly traceError?: string;
}

interface Traces {
  readonly frames: FlatFrame[];
  readonly traceStatuses: TraceStatus[];
}

/** Transactions that the node failed to trace with their block, and may trace alone. */
export function wantsSingleTrace({ hashes, traces }: { hashes: readonly string[]; traces: RpcOutcome | undefined }) {
  const items = itemsOf(traces);
  if (items) return hashes.filter((hash, i) => frameOf(items[i], hash) === undefined);
  // Null in place of the list: of a node that does not have the block yet, or none of its traces.
  return traces && 'result' in traces ? hashes : [];
}

/**
 * Call frames and trace status of every transaction of a block.
 *
 * @param answer the outcome of debug_traceBlockByNumber, or why there is none
 * @param singles outcomes of debug_traceTransaction by hash
 */
export function tracesOf(
  hashes: readonly string[],
  answer: RpcOutcome | 'not_asked_for' | 'not_offered',
  singles: ReadonlyMap<string, RpcOutcome>,
): Traces {
  if (typeof answer === 'string') {
    return { frames: [], traceStatuses: hashes.map((_, txIndex) => ({ txIndex, traceStatus: answer })) };
  }
  const items = itemsOf(answer);
  const frames: FlatFrame[] = [];
  const traceStatuses = hashes.map((hash, txIndex): TraceStatus => {
    const single = singles.get(hash);
    const root =
      frameOf(items?.[txIndex], hash) ?? (single && 'result' in single ? (single.result as CallFrame) : undefined);
    if (root) {
      for (const frame of flattenTrace(txIndex, root)) frames.push(frame);
      return { txIndex, traceStatus: 'traced' };
    }
    const said = [answer, single].flatMap((outcome) => (outcome && 'error' in outcome ? outcome.error.message : []));
    const traceError = items?.[txIndex]?.error ?? said[0] ?? 'the node left it out';
    return { txIndex, traceStatus: 'failed', traceError };
  });
  return { frames, traceStatuses };
}

function itemsOf(outcome: RpcOutcome | undefined): readonly TraceItem[] | undefined {
  const list = outcome && 'result' in outcome ? outcome.result : undefined;
  return Array.isArray(list) ? (list as TraceItem[]) : undefined;
}

/** The trace of an item, if it has one and it is of this transaction. Older nodes do not name the transaction. */
function frameOf(item: TraceItem | undefined, hash: string): CallFrame | undefined {
  return item?.txHash === undefined || item.txHash === hash ? item?.result : undefined;
}
