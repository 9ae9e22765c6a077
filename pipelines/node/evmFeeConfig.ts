import { z } from 'zod';
import { amount, defineStream, int64, objectOf, optional } from '../../src/index.ts';
import { chainIdColumn, evmChainIds, evmChains, rpcPath } from './evmChains.ts';
import { node } from './source.ts';

/** Fee configuration of EVM L1s. The C-Chain has none. */
export const evmFeeConfig = defineStream(node, {
  name: 'evm_fee_config',
  description: 'Fee configuration in force, one version a change. Not offered by the C-Chain.',
  endpoint: 'eth_feeConfig',
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  partitions: ({ blockchainIds }, network) =>
    evmChains(network, blockchainIds).map((chain) => ({
      values: { chain_id: chain.chainId },
      settings: { path: rpcPath(chain) },
    })),
  schema: z.object({
    feeConfig: z.object({
      gasLimit: amount('Gas limit of a block.', 'gas'),
      targetBlockRate: amount('Seconds between blocks that the fees aim at.', 's'),
      minBaseFee: amount('Lowest base fee.', 'wei'),
      targetGas: amount('Gas in ten seconds that the fees aim at.', 'gas'),
      baseFeeChangeDenominator: amount('How slowly the base fee moves.', ''),
      minBlockGasCost: amount('Lowest block gas cost.', 'gas'),
      maxBlockGasCost: amount('Highest block gas cost.', 'gas'),
      blockGasCostStep: amount('Step by which the block gas cost moves.', 'gas'),
    }),
    lastChangedAt: optional(int64('Block that changed it last; 0 for the genesis.')),
  }),
  key: ['chain_id'],
  way: 'snapshot',
  *pages(partition) {
    yield { kind: 'rpc', path: String(partition.settings?.['path']), call: { method: 'eth_feeConfig', params: [] } };
  },
  records: (body) => {
    objectOf(body, 'feeConfig');
    return [body];
  },
});
