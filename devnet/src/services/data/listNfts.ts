import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { type NftHolding, nftHoldings } from '../evm/nftHoldings.ts';
import { paging, text } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { addressIn, chainIn } from './pathValues.ts';
import { generatedHeader } from './renderAddress.ts';
import { renderErc721, renderErc1155 } from './renderToken.ts';

interface Path {
  readonly chainId: string;
  readonly address: string;
}

const headers = { [generatedHeader]: 'metadata' };

const readCollectiblesQuery = queryOf({ ...paging(10, 500), contractAddress: text() });

/** GET …/balances:listCollectibles: the ERC-721 and ERC-1155 tokens an address holds. */
export function listCollectibles(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readCollectiblesQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const owner = addressIn(path.address);
  const contract =
    query.contractAddress === undefined ? undefined : addressIn(query.contractAddress, 'contractAddress');
  return servePage(context, request, {
    ...query,
    member: 'collectibleBalances',
    rows: (asOf) =>
      nftHoldings(context.ledger, chain, asOf).filter(
        (one) => one.owner === owner && (contract === undefined || one.contract === contract),
      ),
    render: (one) => ({
      ...renderHolding(context, chain, one),
      chainId: String(chain.evmChainId),
      ...(one.standard === 'ERC-1155' ? { balance: String(one.balance) } : {}),
    }),
    headers,
  });
}

const readTokensQuery = queryOf(paging(10, 100));

/** GET /v1/chains/{chainId}/nfts/collections/{address}/tokens: the tokens of a contract that somebody holds. */
export function listNftTokens(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readTokensQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const contract = addressIn(path.address);
  return servePage(context, request, {
    ...query,
    member: 'tokens',
    rows: (asOf) => {
      const held = nftHoldings(context.ledger, chain, asOf).filter((one) => one.contract === contract);
      return [...new Map(held.map((one) => [one.tokenId, one])).values()];
    },
    render: (one) => renderHolding(context, chain, one),
    headers,
  });
}

function renderHolding(
  { ledger }: ServiceContext,
  chain: EvmHistory,
  { standard, contract, tokenId, owner }: NftHolding,
): object {
  return standard === 'ERC-721'
    ? renderErc721(ledger, chain, contract, tokenId, owner)
    : renderErc1155(ledger, chain, contract, tokenId);
}
