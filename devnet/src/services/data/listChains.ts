import { emptyId } from '../../codec/cb58.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { blockchainOf, chainNameOf } from '../evm/chainNameOf.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { ok } from '../http/jsonText.ts';
import { oneOf } from '../http/parameters.ts';
import { noQuery, queryOf } from '../http/queryOf.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { chainIn, networks } from './pathValues.ts';

const features = ['nftIndexing', 'webhooks', 'teleporter'] as const;

const readQuery = queryOf({ network: oneOf(networks, undefined), feature: oneOf(features, undefined) });

/** GET /v1/chains: every EVM chain there is. Not paged. */
export function listChains(context: ServiceContext, request: ServiceRequest): ServiceResponse {
  const { network, feature } = readQuery(context, request);
  const chains = network === 'mainnet' ? [] : context.evm.existing(context.head.now());
  const wanted = chains.filter((chain) => feature === undefined || featuresOf(chain).includes(feature));
  return ok({ chains: wanted.map((chain) => renderChain(context, request, chain)) });
}

/** GET /v1/chains/{chainId} */
export function getChain(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly chainId: string },
): ServiceResponse {
  noQuery(context, request);
  return ok(renderChain(context, request, chainIn(context, path.chainId)));
}

const featuresOf = (chain: EvmHistory): readonly string[] =>
  chain.name === 'C' ? ['nftIndexing', 'teleporter'] : ['nftIndexing'];

function renderChain({ ledger }: ServiceContext, request: ServiceRequest, chain: EvmHistory): object {
  const isC = chain.name === 'C';
  const name = chainNameOf(ledger, chain);
  const vmId = blockchainOf(ledger, chain.blockchainId)?.vmID;
  const node = `${request.headers['host'] ?? '127.0.0.1'}/ext/bc/${isC ? 'C' : chain.blockchainId}`;
  return {
    chainId: String(chain.evmChainId),
    status: 'OK',
    chainName: name,
    description: `${name} of the recorded network ${ledger.networkName} (${ledger.networkId})`,
    platformChainId: chain.blockchainId,
    subnetId: chain.subnetId ?? emptyId,
    ...(vmId === undefined ? {} : { vmId }),
    vmName: 'EVM',
    rpcUrl: `http://${node}/rpc`,
    wsUrl: `ws://${node}/ws`,
    isTestnet: true,
    networkToken: networkTokenOf(chain),
    private: false,
    enabledFeatures: featuresOf(chain),
  };
}

/** The native token. What an L1 calls its own is not recorded. */
export const networkTokenOf = (chain: EvmHistory): object =>
  chain.name === 'C'
    ? { name: 'Avalanche', symbol: 'AVAX', decimals: 18, description: 'The native token of the Primary Network' }
    : { name: `${chain.name} native token`, symbol: chain.name, decimals: 18 };
