import { addressIn, uintArraysIn, wordAt } from '../../codec/abi.ts';
import { once } from '../../once.ts';
import type { EvmLog, EvmTransaction } from './evmHistory.ts';

/** One transfer of a token, read from a log by the shape of the log alone. A batch log holds several. */
export interface TokenTransfer {
  readonly standard: 'ERC-20' | 'ERC-721' | 'ERC-1155';
  readonly transaction: EvmTransaction;
  readonly logIndex: number;
  /** Contract of the token. */
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** ERC-721 and ERC-1155. */
  readonly tokenId: bigint;
  /** Amount; 1 for ERC-721. */
  readonly value: bigint;
}

/** The token transfers of a transaction in the order of its logs. */
export const transfersIn = once((transaction: EvmTransaction): readonly TokenTransfer[] =>
  transaction.logs.flatMap((log) => readLog(transaction, log)),
);

function readLog(transaction: EvmTransaction, log: EvmLog): TokenTransfer[] {
  const [signature, first = '', second = '', third = ''] = log.topics;
  const base = { transaction, logIndex: log.index, token: log.address };
  if (signature === transferSignatures.erc20And721) {
    const pair = { from: addressIn(first), to: addressIn(second) };
    if (log.topics.length === 4) return [{ ...base, ...pair, standard: 'ERC-721', tokenId: BigInt(third), value: 1n }];
    const value = log.topics.length === 3 ? wordAt(log.data, 0) : null;
    return value === null ? [] : [{ ...base, ...pair, standard: 'ERC-20', tokenId: 0n, value }];
  }
  if (log.topics.length !== 4) return [];
  const pair = { from: addressIn(second), to: addressIn(third) };
  if (signature === transferSignatures.erc1155Single) {
    const [tokenId, value] = [wordAt(log.data, 0), wordAt(log.data, 1)];
    return tokenId === null || value === null ? [] : [{ ...base, ...pair, standard: 'ERC-1155', tokenId, value }];
  }
  if (signature === transferSignatures.erc1155Batch) {
    const entries = uintArraysIn(log.data) ?? [];
    return entries.map(([tokenId, value]) => ({ ...base, ...pair, standard: 'ERC-1155', tokenId, value }));
  }
  return [];
}

/** First topics of the token transfer events: keccak-256 of their signatures. */
export const transferSignatures = {
  /** Transfer(address,address,uint256) of ERC-20 and ERC-721 alike. */
  erc20And721: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  /** TransferSingle(address,address,address,uint256,uint256). */
  erc1155Single: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  /** TransferBatch(address,address,address,uint256[],uint256[]). */
  erc1155Batch: '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
} as const;
