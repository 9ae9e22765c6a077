import { z } from 'zod';
import { boolean, defineStream, hexes, json, optional, text, unixSeconds } from '../../src/index.ts';
import { asking } from './askRpc.ts';
import { ofEvmChains } from './evmChains.ts';
import { node } from './source.ts';

/** Members of one precompile. */
export const activePrecompile = {
  name: text('Name of the configuration, such as feeManagerConfig.'),
  config: json('The configuration, as JSON.'),
  adminAddresses: optional(hexes('Administrators.')),
  blockTimestamp: optional(unixSeconds('Time from which it is in force.')),
  disable: optional(boolean('Whether the configuration switches the precompile off.')),
};

/** The precompiles of an answer, one record each. */
export const activePrecompiles = {
  each: 'member',
  name: 'name',
  take: { config: '', adminAddresses: 'adminAddresses', blockTimestamp: 'blockTimestamp', disable: 'disable' },
} as const;

/** Precompiles in force on EVM L1s, with their configurations. */
export const evmActivePrecompiles = defineStream(node, {
  name: 'evm_active_precompiles',
  description: 'Precompiles in force with their configurations, one version per change. Not offered by the C-Chain.',
  endpoint: 'eth_getActivePrecompilesAt',
  deprecated: { since: 'a version that the specification does not name', use: 'node/evm_active_rules' },
  ...ofEvmChains,
  schema: z.object(activePrecompile),
  key: ['chain_id', 'name'],
  way: 'snapshot',
  pages: asking('eth_getActivePrecompilesAt'),
  records: activePrecompiles,
});
