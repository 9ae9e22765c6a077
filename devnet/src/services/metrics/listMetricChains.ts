import { emptyId } from '../../codec/cb58.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { chainIn, networks } from '../data/pathValues.ts';
import { chainNameOf } from '../evm/chainNameOf.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { ok } from '../http/jsonText.ts';
import { oneOf } from '../http/parameters.ts';
import { noQuery, queryOf } from '../http/queryOf.ts';
import type { ServiceContext } from '../serviceContext.ts';

const readQuery = queryOf({ network: oneOf(networks, undefined) });

/** GET /v2/chains: the chains that have metrics. Here the EVM chain id is a number. */
export function listMetricChains(context: ServiceContext, request: ServiceRequest): ServiceResponse {
  const { network } = readQuery(context, request);
  const chains = network === 'mainnet' ? [] : context.evm.existing(context.head.now());
  return ok({ chains: chains.map((chain) => toMetricChain(context, chain)) });
}

/** GET /v2/chains/{chainId} */
export function getMetricChain(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly chainId: string },
): ServiceResponse {
  noQuery(context, request);
  return ok(toMetricChain(context, chainIn(context, path.chainId)));
}

const toMetricChain = (context: ServiceContext, chain: EvmHistory): object => ({
  evmChainId: chain.evmChainId,
  chainName: chainNameOf(context.ledger, chain),
  blockchainId: chain.blockchainId,
  subnetId: chain.subnetId ?? emptyId,
  network: 'testnet',
});
