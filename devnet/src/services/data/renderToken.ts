import { chance } from '../../chance.ts';
import { checksumAddress } from '../../codec/checksumAddress.ts';
import type { Ledger } from '../../types.ts';
import { contractFacts } from '../evm/contractFacts.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { generatedLogo } from './renderAddress.ts';

/** An ERC-20 token. Its price is generated (every third token has one): recordings know no prices. */
export function renderErc20(ledger: Ledger, history: EvmHistory, address: string): object {
  const facts = contractFacts(ledger, history, address);
  const dice = chance(7, address);
  return {
    address: checksumAddress(address),
    name: facts?.name ?? '',
    symbol: facts?.symbol ?? '',
    decimals: facts?.decimals ?? 0,
    ...generatedLogo(address),
    ercType: 'ERC-20',
    ...(dice < 1 / 3 ? { price: { currencyCode: 'usd', value: Math.round(dice * 1e6) / 1e4 } } : {}),
  };
}

/** An ERC-721 token; with its owner where one is given. */
export function renderErc721(
  ledger: Ledger,
  history: EvmHistory,
  address: string,
  tokenId: bigint,
  owner?: string,
): object {
  const facts = contractFacts(ledger, history, address);
  const uri = facts?.tokenUri(tokenId) ?? null;
  return {
    address: checksumAddress(address),
    name: facts?.name ?? '',
    symbol: facts?.symbol ?? '',
    ercType: 'ERC-721',
    tokenId: String(tokenId),
    tokenUri: uri ?? '',
    metadata: {
      ...renderMetadata(history, uri, facts?.name ?? 'token', facts?.symbol ?? '', tokenId),
      ...(uri ? traits('attributes') : {}),
    },
    ...(owner === undefined ? {} : { ownerAddress: checksumAddress(owner) }),
  };
}

/** An ERC-1155 token. */
export function renderErc1155(ledger: Ledger, history: EvmHistory, address: string, tokenId: bigint): object {
  const facts = contractFacts(ledger, history, address);
  const uri = facts?.tokenUri(tokenId) ?? null;
  const more = uri ? { decimals: 0, ...traits('properties') } : {};
  return {
    address: checksumAddress(address),
    ercType: 'ERC-1155',
    tokenId: String(tokenId),
    tokenUri: uri ?? '',
    metadata: { ...renderMetadata(history, uri, facts?.name ?? 'token', facts?.symbol ?? '', tokenId), ...more },
  };
}

const traits = (member: string) => ({ [member]: JSON.stringify([{ trait_type: 'origin', value: 'generated' }]) });

/** What a token URI leads to is not recorded, so it is generated and says so; a token without a usable URI has only a status. */
function renderMetadata(
  history: EvmHistory,
  uri: string | null,
  name: string,
  symbol: string,
  tokenId: bigint,
): object {
  if (uri === null) return { indexStatus: 'UNINDEXED' };
  if (uri === '') return { indexStatus: 'INVALID_TOKEN_URI' };
  if (!/^(https?|ipfs|ar|data):/.test(uri)) return { indexStatus: 'INVALID_TOKEN_URI_SCHEME' };
  const page = `https://devnet.invalid/generated/${tokenId}`;
  return {
    indexStatus: 'INDEXED',
    metadataLastUpdatedTimestamp: history.blocks[1]?.time ?? 0,
    name: `${name} #${tokenId}`,
    symbol,
    imageUri: `${page}.png`,
    description: 'Generated: the recording holds the token URI but not what it leads to.',
    animationUri: `${page}.mp4`,
    externalUrl: page,
    background: 'ffffff',
  };
}
