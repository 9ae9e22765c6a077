import type { Ledger } from 'firn-devnet';
import type { z } from 'zod';
import { primaryNetworkId } from '../../src/core/stream/network.ts';
import type { Stream } from '../../src/core/stream/stream.ts';
import { declaredMetrics } from '../../src/index.ts';
import type { Random } from './random.ts';

/** What an option may be set to: a draw gives one value. */
export type Draw = (random: Random) => unknown;

/** Parts of the recorded network that configurations name. */
export interface Named {
  readonly ledger: Ledger;
  /** Parameters of the demo's streams. */
  readonly streams: Readonly<Record<string, { readonly addresses?: readonly string[] }>>;
}

type Shape = { readonly def: { readonly type: string; readonly [member: string]: unknown } };

/** Nodes of the recorded network: two with delegators, and one that renews itself. */
const nodes = [
  'NodeID-GRE2EwqKquSyR1wV5EBwppM5tsUXNvUZJ',
  'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ',
  'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5',
];

const anyOf =
  (...values: readonly unknown[]): Draw =>
  (random) =>
    random.pick(values);
const someOf =
  (...values: readonly unknown[]): Draw =>
  (random) =>
    random.shuffle(values).slice(0, random.between(1, values.length));
const number =
  (low: number, high: number): Draw =>
  (random) =>
    random.between(low, high);

/** Values of options that their schemas do not list, by `<stream> <option>` or `<option>`; whole patterns, the first that fits. */
function namedValues({ ledger, streams }: Named): readonly (readonly [pattern: RegExp, draw: Draw])[] {
  const [l1] = ledger.l1s;
  const c = String(ledger.c.evmChainId);
  const l1ChainId = String(l1?.evmChainId);
  const owners = streams['data/utxos']?.addresses ?? [];
  const accounts = streams['data/address_transactions']?.addresses ?? [];
  const tokens = streams['data/token_transfers']?.addresses ?? [];
  const hashes = ledger.c.blocks
    .flatMap(({ block }) => (JSON.parse(block) as { transactions: { hash: string }[] }).transactions)
    .slice(0, 12)
    .map(({ hash }) => hash);
  const xIds = ledger.x.blocks.flatMap(({ txs }) => [...txs.keys()]).slice(0, 12);
  const stakings = [...ledger.rewards.keys()].slice(0, 3);
  const asset = ledger.avaxAssetId;
  const moments = ['2026-01-25', '2026-02-10', '2026-03-05'];
  const primary = (...more: readonly string[]) => someOf(...owners.slice(0, 4), owners.slice(4, 6).join(','), ...more);
  return [
    [/node\/platform_blockchain_status blockchainIds/, someOf('P', 'X', 'C', l1?.blockchainId, c)],
    [/node\/.* blockchainIds/, someOf('C', l1?.blockchainId)],
    [/data\/staking_transactions blockchainIds/, anyOf(['p-chain'], ['P'], [primaryNetworkId])],
    [/data\/vertices blockchainIds/, anyOf(['x-chain'], ['X'], [ledger.x.blockchainId])],
    [/data\/.* blockchainIds/, someOf('p-chain', 'x-chain', 'c-chain')],
    [/metrics\/.* chainIds/, someOf(c, l1ChainId, 'total', 'testnet')],
    [
      /.* chainIds/,
      anyOf([c], [l1ChainId], [c, l1ChainId], [ledger.c.blockchainId], [ledger.c.blockchainId, Number(c)]),
    ],
    [/data\/(token_transfers|nft_tokens) addresses/, someOf(...tokens)],
    [
      /data\/(address_.*|collectible_balances) addresses/,
      someOf(...accounts, accounts[0]?.toUpperCase().replace('X', 'x')),
    ],
    [/data\/primary_transactions addresses/, primary(accounts[0] as string)],
    [/.* (addresses|rewardAddresses)/, primary()],
    [/data\/validator_(details|cycles) nodeIds/, someOf(...nodes)],
    [/data\/.* nodeIds/, someOf(...nodes.slice(0, 3), nodes.slice(2).join(','))],
    [/.* nodeIds/, someOf(...nodes)],
    [/.* subnetIds/, someOf(primaryNetworkId, l1?.subnetId)],
    [/.* subnetId/, anyOf(primaryNetworkId, l1?.subnetId)],
    [/node\/avm_transactions which/, (random) => random.pick(['referred', 'all', someOf(...xIds)(random)])],
    [/.* txHashes/, someOf(...hashes)],
    [/.* txHash/, anyOf(...stakings)],
    [
      /.* txTypes/,
      someOf('AddPermissionlessValidatorTx', 'AddPermissionlessDelegatorTx', 'BaseTx', 'ImportTx', 'CreateChainTx'),
    ],
    [
      /.* l1ValidationId/,
      anyOf(ledger.manifest['l1RegisteredValidationID'], '2XctPj5DvUhxXm5yHCDrUPEuk77MLhkZErKBD6pTutGDRzeYBV'),
    ],
    [/.* contractAddress/, anyOf(...tokens)],
    [/.* assetId/, anyOf(asset, '2jWtwDcLkqYFRdisHVZuqEZKVi7SXsNiFMSejcCa2yHJ56C4pM')],
    [/.* minUtxoAmount/, anyOf(0, '1000000000', 20_000_000_000)],
    [/.* minDelegationCapacity/, anyOf('0', '1000000000000')],
    [/.* maxDelegationCapacity/, anyOf('10000000000000', '1000000000000000')],
    [/.* (minTimeRemaining|maxTimeRemaining)/, anyOf(0, 86_400, 30 * 86_400)],
    [/.* (min|max)FeePercentage/, anyOf(2, 5, 10)],
    [/.* minUptimePerformance/, anyOf(0, 90)],
    [/.* maxUptimePerformance/, anyOf(95, 100)],
    // A stream that reads the whole of a short list reads it in this many pages.
    [/.* pageSize/, number(7, 90)],
    [/.* lookback/, anyOf('1h', '3d')],
    [/.* budget/, anyOf(200, 900, 5000)],
    [/metrics\/.* metrics/, (random) => random.pick(['all', someOf(...metricNames())(random)])],
    [/metrics\/.* timeIntervals/, (random) => random.pick(['all', someOf('hour', 'day', 'week', 'month')(random)])],
    [/metrics\/.* from/, anyOf('2026-01-01', ...moments)],
    [/data\/staking_transactions (from|to)/, anyOf(...moments)],
    [/data\/vertices (from|to)/, number(0, 14)],
    [/data\/(address_.*|token_transfers) to/, number(0, 3000)],
    [/data\/primary_transactions to/, anyOf(...moments)],
    [/.* (from|to)/, anyOf(0, 1, 40, 300, 1200, ...moments, '-20d', '-3d')],
  ];
}

const metricNames = (): readonly string[] => declaredMetrics().map(({ name }) => name);

/** Gives what an option may be set to where it is set; undefined where nothing says so. */
export function optionValues(named: Named): (stream: Stream, option: string) => Draw | undefined {
  const values = namedValues(named);
  return ({ id, parameters }, option) => {
    const found = values.find(([pattern]) => new RegExp(`^${pattern.source}$`).test(`${id} ${option}`));
    return found?.[1] ?? listed(parameters.shape[option] as unknown as Shape);
  };
}

/** What a schema itself lists. */
function listed({ def }: Shape): Draw | undefined {
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return listed(def['innerType'] as Shape);
    case 'boolean':
      return anyOf(true, false);
    case 'enum':
      return anyOf(...Object.values(def['entries'] as object));
    case 'array': {
      const item = def['element'] as Shape;
      return item.def.type === 'enum' ? someOf(...Object.values(item.def['entries'] as object)) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether an option must be set. */
export const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;
