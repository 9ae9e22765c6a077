import { describe, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { RawValue } from '../../src/core/json/rawValue.ts';
import type { Request, Response } from '../../src/core/requests/request.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import type { LookupStream, PagedStream, RangeStream, Stream } from '../../src/core/stream/stream.ts';
import { checked } from '../../src/run/sources/drive.ts';

// What stands in place of an answer must never be read as one: not as an end, not as a head, not as a snapshot without rows.

const wrong = ['{"message":"maintenance"}', '{}', '[]', '7', '"maintenance"', 'null', '{"chains":null}'];
/** Odd but right answers: an L1 may have no precompile in force, an index may be empty, and no block final (then the newest is asked for). */
const right: Readonly<Record<string, readonly string[]>> = {
  'node/evm_active_precompiles': ['{}'],
  'node/containers': ['null'],
  'node/evm_blocks': ['null'],
};

/** Streams that ask more than what their records are made of: what they ask is checked as it comes. */
const asksMore = [
  'node/evm_fee_config_history',
  'node/evm_active_rules_history',
  'node/evm_active_precompiles_history',
];

const chain = { chainId: '99001', name: 'C', blockchainId: 'C', alias: 'C', vm: 'evm' as const, genesisHash: null };
const network: NetworkFacts = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [chain] };
const some = { chainIds: ['99001'], addresses: [`0x${'11'.repeat(20)}`] };
const parameters: Readonly<Record<string, object>> = {
  'node/platform_balances': { addresses: ['P-local1xyz'] },
  'metrics/chain_metrics': { chainIds: ['99001'] },
  'data/latest_transactions': { chainIds: ['99001'] },
  'data/transaction_details': { chainIds: ['99001'] },
  'data/utxos': { addresses: ['fuji1utacgpu8arf7sq0vdfh0zk0pukgfk8nyfxsh2k'] },
  'data/vertices': { to: 5 },
  'data/validator_details': { nodeIds: ['NodeID-111'] },
  'data/validator_cycles': { nodeIds: ['NodeID-111'] },
  'data/pending_rewards': { nodeIds: ['NodeID-111'] },
};

function partitionOf(stream: Stream): Partition {
  const given = parameters[stream.id] ?? (Object.keys(stream.parameters.shape).includes('addresses') ? some : {});
  const parsed = stream.parameters.safeParse(given);
  const [partition] = stream.partitions((parsed.success ? parsed.data : stream.parameters.parse({})) as never, network);
  if (!partition) throw new TypeError(`${stream.id} has no partition`);
  return partition;
}

/** Answers the first request of a generator. */
function answered<T>(asking: Generator<Request, T, Response>, body: unknown): unknown {
  const first = asking.next();
  if (first.done) return first.value;
  const next = asking.next({ body, fetchedAt: 0, bytes: 0 });
  return next.done ? next.value : next;
}

/** The check that a request of a range stream carries, by which it is sent again. */
function check(stream: RangeStream, partition: Partition, body: unknown): void {
  const first = stream.head(partition).next();
  const request = first.done ? undefined : first.value;
  if (request?.kind !== 'rpc') throw new TypeError('a head is asked by one call');
  request.call.check?.(body);
}

/** What a stream asks for first. */
function firstRequest(stream: Exclude<Stream, RangeStream>, partition: Partition): Request {
  if (stream.way === 'lookup') return { about: 'key', ...stream.request('key', partition) };
  const window = { position: null, now: 0 };
  return (stream as PagedStream).pages(partition, window, stream.state?.()).next().value as Request;
}

const contract = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(FirnError);
    expect(error).toMatchObject({ code: 'contract', retryable: true });
    return 'contract';
  }
};

describe.each(catalogue.map((stream): [string, Stream] => [stream.id, stream]))('%s', (id, stream) => {
  test.each(wrong.filter((text) => !right[id]?.includes(text)))('refuses %s', (text) => {
    const body = JSON.parse(text) as unknown;
    const partition = partitionOf(stream);
    if (stream.way === 'range') {
      expect(contract(() => answered(stream.head(partition), body))).toBe('contract');
      expect(contract(() => check(stream, partition, body))).toBe('contract');
    } else if (asksMore.includes(id) && 'pages' in stream) {
      const first = (stream as PagedStream).pages(partition, { position: null, now: 0 }, stream.state?.()).next().value;
      const calls = first?.kind === 'rpcMany' ? first.calls : first?.kind === 'rpc' ? [first.call] : [];
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls) expect(contract(() => call.check?.(body))).toBe('contract');
    } else {
      const request = checked(stream, partition, firstRequest(stream, partition));
      const check =
        request.kind === 'rpc' ? request.call.check : request.kind === 'rpcMany' ? undefined : request.check;
      for (const given of [body, new RawValue(Buffer.from(text))])
        expect(contract(() => check?.(given))).toBe('contract');
    }
  });
});

test('details of another transaction than was asked for are not taken', () => {
  const stream = catalogue.find(({ id }) => id === 'data/transaction_details') as LookupStream;
  const request = stream.request(`0x${'ab'.repeat(32)}`, partitionOf(stream));
  const check = (txHash: string) => 'check' in request && request.check?.({ nativeTransaction: { txHash } });
  expect(() => check(`0x${'AB'.repeat(32)}`)).not.toThrow();
  expect(() => check(`0x${'cd'.repeat(32)}`)).toThrow(/no transaction 0xabab/);
  const unknown = () => 'check' in request && request.check?.({ transaction: { hash: '0x12' } });
  expect(unknown).toThrow(
    /no transaction 0xabab\w+, neither as "nativeTransaction" nor .* "txHash"; it is an object with \["transaction"\]\. .* check the URL/,
  );
});
