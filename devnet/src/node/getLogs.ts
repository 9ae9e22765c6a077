import { rawElements, rawMembers } from '../codec/rawMembers.ts';
import type { EvmBlockRecord, EvmChain, Raw } from '../types.ts';
import type { EvmBlocks } from './evmBlocks.ts';
import { type BlockName, blockNumberParam, hashParam, unreadable } from './evmParams.ts';
import { RpcError } from './rpcError.ts';

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

/** eth_getLogs over the recorded receipts; the logs are given as the receipts hold them. */
export function getLogs(chain: EvmChain, blocks: EvmBlocks, params: readonly unknown[], now: number): Raw {
  const filter = (params[0] ?? {}) as Record<string, unknown>;
  if (typeof filter !== 'object' || Array.isArray(filter)) throw unreadable(0, filter, 'filters.input');
  const addresses = toList(filter['address']);
  const topics = (filter['topics'] ?? []) as readonly unknown[];
  if (topics.length > 4) throw new RpcError('exceed max topics');
  const wanted = topics.map(toList);

  const texts: Raw[] = [];
  for (const block of chosenBlocks(chain, blocks, filter, now)) {
    for (const receipt of rawElements(block.receipts)) {
      for (const text of rawElements(rawMembers(receipt).get('logs') ?? '[]')) {
        const log = JSON.parse(text) as Log;
        if (addresses !== null && !addresses.has(log.address)) continue;
        if (wanted.every((set, at) => at < log.topics.length && (set === null || set.has(log.topics[at] ?? ''))))
          texts.push(text);
      }
    }
  }
  return `[${texts.join()}]`;
}

function chosenBlocks(
  chain: EvmChain,
  blocks: EvmBlocks,
  filter: Record<string, unknown>,
  now: number,
): readonly EvmBlockRecord[] {
  if (filter['blockHash'] !== undefined) {
    const block = blocks.find({ hash: hashParam([filter['blockHash']], 0) }, now);
    if (block === null) throw new RpcError('unknown block');
    return [block];
  }
  const last = BigInt(blocks.newest(now));
  const numberOf = (name: BlockName): bigint => ('number' in name ? name.number : BigInt(blocks.last(now)));
  const from = numberOf(blockNumberParam([filter['fromBlock'] ?? 'latest'], 0));
  const to = numberOf(blockNumberParam([filter['toBlock'] ?? 'latest'], 0));
  if (from > last) throw new RpcError(`requested from block ${from} after last accepted block ${last}`);
  if (to > last) throw new RpcError(`requested to block ${to} after last accepted block ${last}`);
  if (from > to) throw new RpcError('invalid block range params');
  // A block that is not executed yet has no logs.
  const executed = chain.blocks.slice(Number(from), Math.min(Number(to), blocks.last(now)) + 1);
  return executed.map((block) => blocks.shown(block, now));
}

/** Lower-case values that match, or null for any. */
function toList(value: unknown): ReadonlySet<string> | null {
  const values = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return values.length === 0 ? null : new Set(values.map((item) => String(item).toLowerCase()));
}
