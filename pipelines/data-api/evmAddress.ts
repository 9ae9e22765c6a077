import { z } from 'zod';
import {
  type Bound,
  FirnError,
  isEvmAddress,
  type NetworkFacts,
  type PartitionWith,
  parseBound,
} from '../../src/index.ts';
import { evmChainIds } from './evmChain.ts';
import { bound, chainIdColumn, chainIds, pageSize } from './parameters.ts';

/** Rows of a history that the service gives at once. */
export const largestPage = 100;

/**
 * EVM addresses of the configuration, in lower case and each once.
 *
 * @throws FirnError `config` naming what is not an address
 */
export function evmAddresses(configured: readonly string[]): readonly string[] {
  const given = configured.flatMap((entry) => entry.split(',')).map((part) => part.trim());
  const addresses = given.filter((address) => address !== '');
  const wrong = addresses.find((address) => !isEvmAddress(address));
  if (wrong !== undefined) throw wrongAddress(wrong, `is not an EVM address: 0x and 40 hex digits${mistyped(wrong)}.`);
  return [...new Set(addresses.map((address) => address.toLowerCase()))];
}

/** The error of an address of the configuration, whose place the planner adds. @param what the sentence about it, without the address */
export const wrongAddress = (address: string, what: string): FirnError =>
  new FirnError('config', `"${address}" ${what}`, { context: { given: address } });

/** What to say of an address that would be one in lower case. */
export const mistyped = (address: string): string =>
  isEvmAddress(address.toLowerCase())
    ? ', all of one case, or with capitals as its checksum has them (EIP-55). A digit may be mistyped: copy it again'
    : '';

export const addresses = z.array(z.string().min(1)).min(1);

/** Parameters of streams that read what happened to an address, by height. */
export const historyParameters = z.strictObject({
  chainIds,
  addresses: addresses.describe('EVM addresses; each is read alone, with its own checkpoint.'),
  from: bound('Where the history begins: a height, a date, or an age counted from the newest row.').default(0),
  to: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('First height that is not read; if omitted, everything to the newest one is.'),
  pageSize: pageSize(largestPage),
});

/** What paging needs of `historyParameters`. */
export interface HistorySettings {
  readonly from: Bound;
  readonly to: number | null;
  readonly pageSize: number;
}

export type HistoryPartition = PartitionWith<HistorySettings>;

/** Every address on every chain is a partition. */
export function historyPartitions(
  { from, to, pageSize, ...given }: z.infer<typeof historyParameters>,
  network: NetworkFacts,
): readonly HistoryPartition[] {
  const settings: HistorySettings = { from: parseBound(from), to: to ?? null, pageSize };
  return onEachChain(given, network).map((values) => ({
    values,
    ...(to !== undefined && { filters: { to } }),
    settings,
  }));
}

/** Chain id and address of every combination. */
export function onEachChain(
  given: { readonly chainIds: readonly string[]; readonly addresses: readonly string[] },
  network: NetworkFacts,
): readonly { readonly chain_id: string; readonly address: string }[] {
  const addresses = evmAddresses(given.addresses);
  return evmChainIds(network, given.chainIds).flatMap((chain_id) =>
    addresses.map((address) => ({ chain_id, address })),
  );
}

export const addressColumns = [
  chainIdColumn,
  { name: 'address', description: 'The address that was asked for, lower case.' },
];
