import type { Devnet } from 'firn-devnet';

/**
 * `firn.yaml` that reads all that the demo reads, of the chains that exist at the network's head.
 *
 * @param metrics served metrics to read
 */
export function everything({ url, ledger, head }: Devnet, metrics: 'all' | readonly string[] = 'all'): object {
  const { c, l1s, p, x } = ledger;
  const evmChains = [c, ...l1s].filter(({ blocks }) =>
    blocks.some(({ visibleAt }) => visibleAt > 0 && visibleAt <= head.now()),
  );
  const chainIds = evmChains.map(({ evmChainId }) => String(evmChainId));
  return {
    sources: { node: { url }, data: { url, network: 'fuji' }, metrics: { url } },
    pipelines: {
      main: {
        streams: {
          'node/containers': { indexes: ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'] },
          'node/evm_blocks': { blockchainIds: ['C', ...evmChains.slice(1).map(({ blockchainId }) => blockchainId)] },
          'metrics/chain_metrics': { chainIds, metrics, from: new Date(ledger.firstMoment).toISOString().slice(0, 10) },
          'data/chains': {},
          'data/latest_transactions': { chainIds },
          'data/primary_transactions': { blockchainIds: [p.blockchainId, x.blockchainId, c.blockchainId] },
        },
      },
    },
  };
}
