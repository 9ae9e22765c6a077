import { stringify } from 'yaml';
import type { Devnet } from '../devnet/startDevnet.ts';

/** The first line of every configuration that the demo writes: a folder that begins with it may be replaced by the next demo. */
export const demoMark = '# Written by "firn demo"; the next demo replaces this folder.';

/** The demo's configuration: everything the embedded network offers, at its address. */
export function demoConfig(devnet: Devnet): string {
  const { c, l1s } = devnet.ledger;
  const evmChains = [c, ...l1s];
  const from = new Date(devnet.ledger.firstMoment).toISOString().slice(0, 10);
  const configuration = {
    warehouse: '.',
    sources: {
      node: { url: devnet.url },
      data: { url: devnet.url, network: 'fuji' },
      metrics: { url: devnet.url },
    },
    pipelines: {
      demo: {
        schedule: '*/10 * * * *',
        streams: {
          'node/containers': { indexes: ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'] },
          'node/evm_blocks': { blockchainIds: ['C', ...l1s.map(({ blockchainId }) => blockchainId)] },
          'metrics/chain_metrics': {
            chainIds: evmChains.map(({ evmChainId }) => String(evmChainId)),
            metrics: 'all',
            timeIntervals: 'all',
            from,
          },
          'data/chains': {},
          'data/latest_transactions': { chainIds: evmChains.map(({ evmChainId }) => String(evmChainId)), from },
          'data/primary_transactions': { blockchainIds: ['p-chain', 'x-chain', 'c-chain'], from },
        },
      },
    },
  };
  return `${demoMark}\n${stringify(configuration)}`;
}
