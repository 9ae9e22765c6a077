import { badRequest, notFound } from '../../problem.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import type { ServiceContext } from '../serviceContext.ts';

export const networks = ['mainnet', 'fuji', 'testnet'] as const;

/** The chain a path names by EVM chain id or blockchain id. Throws a 404. */
export function chainIn(context: ServiceContext, id: string): EvmHistory {
  const chain = context.evm.find(id, context.head.now());
  if (chain === undefined) throw notFound(`chain ${id} is not supported`);
  return chain;
}

/** An EVM address in a path or parameter, lower-case. Throws a 400. */
export function addressIn(text: string, name = 'address'): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw badRequest(`${name} must be an Ethereum address`);
  return text.toLowerCase();
}
