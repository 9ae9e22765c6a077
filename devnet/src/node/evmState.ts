import type { EvmBlockRecord, Raw } from '../types.ts';
import type { EvmBlocks } from './evmBlocks.ts';
import { type BlockName, blockNameParam } from './evmParams.ts';
import { paramsKey, type RecordedAnswer, type RecordedAnswers, replay } from './recordedAnswers.ts';
import { RpcError } from './rpcError.ts';

/** Method -> position of its block parameter. */
export const stateMethods: ReadonlyMap<string, number> = new Map([
  ['eth_call', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getTransactionCount', 1],
  ['eth_getStorageAt', 2],
]);

/** Answers about the state after one block: only what was recorded for that block. */
export function createEvmState(answers: RecordedAnswers, path: string, blocks: EvmBlocks) {
  const byMethod = new Map<string, ReadonlyMap<string, RecordedAnswer>>();
  const recorded = (method: string, at: number): ReadonlyMap<string, RecordedAnswer> => {
    let known = byMethod.get(method);
    if (known === undefined) {
      known = new Map(answers.all(path, method).flatMap((answer) => keyed(answer, at, blocks)));
      byMethod.set(method, known);
    }
    return known;
  };
  return (method: string, params: readonly unknown[], now: number): Raw => {
    const at = stateMethods.get(method) ?? 1;
    const block = blocks.find(blockOf(params, at), now);
    requireState(blocks, block, now);
    const answer = recorded(method, at).get(stateKey(params.slice(0, at), block.number));
    if (answer !== undefined) return replay(answer);
    throw new RpcError(`the recording holds no answer to ${method} with these params at block ${block.number}`);
  };
}

/** A recorded answer under the block it is about; recorded refusals are about none. */
function keyed(answer: RecordedAnswer, at: number, blocks: EvmBlocks): [string, RecordedAnswer][] {
  const params = answer.params as readonly unknown[];
  try {
    const block = blocks.find(blockOf(params, at), Number.POSITIVE_INFINITY);
    return block === null ? [] : [[stateKey(params.slice(0, at), block.number), answer]];
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}

function blockOf(params: readonly unknown[], at: number): BlockName {
  return params[at] === undefined || params[at] === null ? { latest: true } : blockNameParam(params, at);
}

/** Addresses and data in any case mean the same; a call's `input` is its `data`. */
function stateKey(params: readonly unknown[], block: number): string {
  const [first, ...rest] = params;
  const call = typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : null;
  const { input, ...members } = call ?? {};
  const subject = call === null ? first : { ...members, ...(input === undefined ? {} : { data: input }) };
  return `${block} ${paramsKey([subject, ...rest]).toLowerCase()}`;
}

/** Throws the node's error for a block that it does not have, or whose state it has pruned. */
export function requireState(
  blocks: EvmBlocks,
  block: EvmBlockRecord | null,
  now: number,
): asserts block is EvmBlockRecord {
  if (block === null) throw new RpcError('header not found');
  if (blocks.hasState(block, now)) return;
  const { stateRoot } = JSON.parse(block.block) as { readonly stateRoot: string };
  throw new RpcError(`missing trie node ${stateRoot.slice(2)} (path ) state ${stateRoot} is not available`);
}
