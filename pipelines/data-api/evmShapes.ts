import { z } from 'zod';
import {
  boolean,
  decimal,
  echo,
  hex,
  int32,
  int64,
  lenient,
  named,
  optional,
  text,
  uint64,
  uint256,
  unixSeconds,
} from '../../src/index.ts';

/** An account as `from` or `to`, with what the service knows of the contract. Absent where a transaction creates a contract. */
export const richAddress = z
  .object({
    address: optional(hex('Account.')),
    name: lenient(text('Name of the contract, where the service knows it.')),
    symbol: lenient(text('Symbol of the contract, where the service knows it.')),
    decimals: lenient(int32('Decimals of the contract, where the service knows them.')),
    logoUri: lenient(text('URL of its logo.')),
  })
  .nullish();

/** Block and transaction that a listed record belongs to. */
export const transactionPlace = {
  blockNumber: int64('Height of the block.'),
  blockTimestamp: unixSeconds('Block time.'),
  blockTimestampMilliseconds: optional(int64('Block time with milliseconds, from Granite on.', 'ms')),
  blockHash: optional(hex('Block hash.')),
  txHash: hex('Transaction hash.'),
};

/** Native EVM transaction as lists give it. */
export const nativeTransaction = {
  ...transactionPlace,
  blockMinDelayExcess: optional(int64('ACP-226 minimum delay excess, from Granite on.')),
  chainId: optional(echo('EVM chain id.')),
  blockIndex: optional(int32('Place of the transaction in its block, from 0.')),
  txStatus: optional(text('1 success, 0 failed.')),
  txType: optional(int32('Envelope type: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702.')),
  gasLimit: optional(int64('Gas limit.', 'gas')),
  gasUsed: optional(int64('Gas used.', 'gas')),
  gasPrice: optional(uint256('Price per gas that was paid.', 'wei')),
  nonce: optional(uint64('Nonce of the sender.')),
  from: richAddress,
  to: richAddress,
  method: z
    .object({
      callType: optional(text('NATIVE_TRANSFER, CONTRACT_CALL, CONTRACT_CREATION, or a newer value.')),
      methodHash: optional(named('hash', text('Four-byte selector; set for contract calls.'))),
      methodName: lenient(named('name', text('Signature text of the method, where the service knows it.'))),
    })
    .nullish(),
  value: uint256('Native amount sent.', 'wei'),
};

/** Unit of token amounts. */
export const tokenUnit = 'smallest unit of the token';

/** A price in a currency; JSON number or decimal text. */
export const money = lenient(
  z.object({
    currencyCode: lenient(text('ISO code of the currency, lower case.')),
    value: lenient(decimal('Price of one whole token.', 'currency')),
  }),
);

/** The native token of a chain. */
export const networkToken = lenient(
  z.object({
    name: lenient(text('Name of the native token.')),
    symbol: lenient(text('Symbol of the native token.')),
    decimals: lenient(int32('Decimals of the native token.')),
    logoUri: lenient(text('URL of its logo.')),
    description: lenient(text('Description of the native token.')),
  }),
);

/** Metadata of an NFT: of ERC-721 with `attributes`, of ERC-1155 with `decimals` and `properties`. */
const metadata = lenient(
  z.object({
    indexStatus: lenient(
      text('How far the service has indexed the metadata: INDEXED, UNINDEXED, UNREACHABLE_TOKEN_URI, ...'),
    ),
    metadataLastUpdatedTimestamp: lenient(
      named('last_updated_timestamp', unixSeconds('When the service last read the metadata.')),
    ),
    name: lenient(text('Name in the metadata.')),
    symbol: lenient(text('Symbol in the metadata.')),
    imageUri: lenient(text('URL of the image.')),
    description: lenient(text('Description.')),
    animationUri: lenient(text('URL of the animation.')),
    externalUrl: lenient(text('URL outside.')),
    background: lenient(text('Background colour.')),
    attributes: lenient(text('Attributes as the service gives them: JSON text (ERC-721).')),
    decimals: lenient(int32('Decimals (ERC-1155).')),
    properties: lenient(text('Properties as the service gives them: JSON text (ERC-1155).')),
  }),
);

/** NFT token of either kind. Token ids are text: they name, and run up to 2^256-1. */
export const nftToken = {
  address: optional(named('contract_address', hex('Contract of the token.'))),
  name: lenient(text('Name of the contract.')),
  symbol: lenient(text('Symbol of the contract.')),
  ercType: optional(text('ERC-721 or ERC-1155.')),
  tokenId: text('Token id, decimal.'),
  tokenUri: lenient(text('URI of the token.')),
  metadata,
};

/** The token of a transfer, of any kind. Token ids are text: they name, and run up to 2^256-1. */
const tokenMembers = {
  address: optional(hex('Contract of the token.')),
  name: lenient(text('Name of the contract.')),
  symbol: lenient(text('Symbol of the contract.')),
  ercType: optional(text('ERC-20, ERC-721 or ERC-1155.')),
};
const erc20Members = {
  decimals: lenient(int32('Decimals of the token (ERC-20).')),
  logoUri: lenient(text('URL of its logo (ERC-20).')),
  price: money,
};
const nftMembers = {
  tokenId: optional(named('id', text('Token id, decimal (ERC-721, ERC-1155).'))),
  tokenUri: lenient(named('uri', text('URI of the token (ERC-721, ERC-1155).'))),
  metadata,
  ownerAddress: optional(hex('Current owner (ERC-721).')),
};
const erc20Token = z.object({ ...tokenMembers, ...erc20Members }).nullish();
const nft = z.object({ ...tokenMembers, ...nftMembers }).nullish();
export const token = z.object({ ...tokenMembers, ...erc20Members, ...nftMembers }).nullish();

const parties = { from: richAddress, to: richAddress };
const logIndex = int32('Place of the log in its block, from 0.');

/** Members of an ERC-20 transfer. */
export const erc20Transfer = { ...parties, logIndex, value: uint256('Amount transferred.', tokenUnit), erc20Token };

/** Members of an ERC-721 transfer. */
export const erc721Transfer = { ...parties, logIndex, erc721Token: nft };

/** Members of an ERC-1155 transfer. */
export const erc1155Transfer = {
  ...parties,
  logIndex,
  value: uint256('Amount transferred.', tokenUnit),
  erc1155Token: nft,
};

/** Members of an internal transaction. */
export const internalTransaction = {
  ...parties,
  internalTxType: optional(text('CALL, CALLCODE, CREATE, CREATE2, CREATE3, UNKNOWN, or a newer value.')),
  value: uint256('Native amount moved.', 'wei'),
  isReverted: optional(boolean('Whether what it did was undone.')),
  gasUsed: optional(int64('Gas used.', 'gas')),
  gasLimit: optional(int64('Gas limit.', 'gas')),
};
