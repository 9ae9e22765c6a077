import { z } from 'zod';
import { defineStream, int64, objectOf, optional, uint256 } from '../../src/index.ts';
import { asking } from './askRpc.ts';
import { ofEvmChains } from './evmChains.ts';
import { node } from './source.ts';

/** The fee configuration of a chain. */
export const feeConfig = z.object({
  gasLimit: uint256('Gas limit of a block.', 'gas'),
  targetBlockRate: uint256('Seconds between blocks that the fees aim at.', 's'),
  minBaseFee: uint256('Lowest base fee.', 'wei'),
  targetGas: uint256('Gas in ten seconds that the fees aim at.', 'gas'),
  baseFeeChangeDenominator: uint256('How slowly the base fee moves.', ''),
  minBlockGasCost: uint256('Lowest block gas cost.', 'gas'),
  maxBlockGasCost: uint256('Highest block gas cost.', 'gas'),
  blockGasCostStep: uint256('Step by which the block gas cost moves.', 'gas'),
});

/** Throws FirnError `contract` for anything that is not a fee configuration. */
export const isFeeConfig = (body: unknown) => objectOf(body, 'feeConfig');

/** Fee configuration of EVM L1s. The C-Chain has none. */
export const evmFeeConfig = defineStream(node, {
  name: 'evm_fee_config',
  description: 'Fee configuration in force, one version per change. Not offered by the C-Chain.',
  endpoint: 'eth_feeConfig',
  ...ofEvmChains,
  schema: z.object({
    feeConfig,
    lastChangedAt: optional(int64('Block that last changed it; 0 for the genesis.')),
  }),
  key: ['chain_id'],
  way: 'snapshot',
  pages: asking('eth_feeConfig', isFeeConfig),
  records: {},
});
