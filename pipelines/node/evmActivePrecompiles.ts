import { z } from 'zod';
import { boolean, defineStream, json, optional, text, texts, unixSeconds } from '../../src/index.ts';
import { chainIdColumn, evmChainIds, evmChains, rpcPath } from './evmChains.ts';
import { node } from './source.ts';

/** Members of one precompile. */
export const activePrecompile = {
  name: text('Name of the configuration, such as feeManagerConfig.'),
  config: json('The configuration, as JSON.'),
  adminAddresses: optional(texts('Administrators.')),
  blockTimestamp: optional(unixSeconds('Time from which it is in force.')),
  disable: optional(boolean('Whether the configuration switches the precompile off.')),
};

/** The precompiles of an answer, one record each. */
export const activePrecompiles = (body: unknown) =>
  Object.entries(body as Record<string, Record<string, unknown>>).map(([name, config]) => ({
    name,
    config,
    adminAddresses: config['adminAddresses'],
    blockTimestamp: config['blockTimestamp'],
    disable: config['disable'],
  }));

/** Precompiles in force on EVM L1s, with their configurations. */
export const evmActivePrecompiles = defineStream(node, {
  name: 'evm_active_precompiles',
  description: 'Precompiles in force with their configurations, one version a change. Not offered by the C-Chain.',
  endpoint: 'eth_getActivePrecompilesAt',
  deprecated: { since: 'a version that the specification does not name', use: 'node/evm_active_rules' },
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  partitions: ({ blockchainIds }, network) =>
    evmChains(network, blockchainIds).map((chain) => ({
      values: { chain_id: chain.chainId },
      settings: { path: rpcPath(chain) },
    })),
  schema: z.object(activePrecompile),
  key: ['chain_id', 'name'],
  way: 'snapshot',
  *pages(partition) {
    const path = String(partition.settings?.['path']);
    yield { kind: 'rpc', path, call: { method: 'eth_getActivePrecompilesAt', params: [] } };
  },
  records: activePrecompiles,
});
