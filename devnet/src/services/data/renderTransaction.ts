import type { Ledger } from '../../types.ts';
import type { EvmBlock, EvmHistory, EvmTransaction } from '../evm/evmHistory.ts';
import { type InternalTransaction, internalsIn } from '../evm/internalsIn.ts';
import { type TokenTransfer, transfersIn } from '../evm/transfersIn.ts';
import { methodOf } from './methodOf.ts';
import { renderAddress } from './renderAddress.ts';
import { renderErc20, renderErc721, renderErc1155 } from './renderToken.ts';

/** The members that give a row's block, where the row stands alone. */
export function blockMembers(block: EvmBlock): object {
  return {
    blockNumber: String(block.number),
    blockTimestamp: block.time,
    ...(block.timeMilliseconds === null ? {} : { blockTimestampMilliseconds: block.timeMilliseconds }),
    blockHash: block.hash,
  };
}

/** A native transaction as lists show it. A creation's `to`, which the service promises to every row, is the zero address. */
export function renderNative(ledger: Ledger, history: EvmHistory, transaction: EvmTransaction): object {
  const { block } = transaction;
  return {
    ...blockMembers(block),
    ...(block.minDelayExcess === null ? {} : { blockMinDelayExcess: block.minDelayExcess }),
    chainId: String(history.evmChainId),
    blockIndex: transaction.index,
    txHash: transaction.hash,
    txStatus: transaction.succeeded ? '1' : '0',
    txType: transaction.type,
    gasLimit: String(transaction.gasLimit),
    gasUsed: String(transaction.gasUsed),
    gasPrice: String(transaction.gasPrice),
    nonce: String(transaction.nonce),
    from: renderAddress(ledger, history, transaction.from),
    to: renderAddress(ledger, history, transaction.to),
    method: methodOf(transaction),
    value: String(transaction.value),
  };
}

export function renderTransfer(ledger: Ledger, history: EvmHistory, transfer: TokenTransfer): object {
  const { standard, token, tokenId, logIndex, value } = transfer;
  const ends = {
    from: renderAddress(ledger, history, transfer.from),
    to: renderAddress(ledger, history, transfer.to),
    logIndex,
  };
  if (standard === 'ERC-721') return { ...ends, erc721Token: renderErc721(ledger, history, token, tokenId) };
  if (standard === 'ERC-20') return { ...ends, value: String(value), erc20Token: renderErc20(ledger, history, token) };
  return { ...ends, value: String(value), erc1155Token: renderErc1155(ledger, history, token, tokenId) };
}

export function renderInternal(ledger: Ledger, history: EvmHistory, { frame }: InternalTransaction): object {
  return {
    from: renderAddress(ledger, history, frame.from),
    to: renderAddress(ledger, history, frame.to),
    internalTxType: frame.type,
    value: String(frame.value),
    isReverted: frame.reverted,
    gasUsed: String(frame.gasUsed),
    gasLimit: String(frame.gas),
  };
}

/** Token transfers and internal transactions of a transaction, or only those from or to one address. A list without an entry is absent. */
export function renderSubTransactions(
  ledger: Ledger,
  history: EvmHistory,
  transaction: EvmTransaction,
  address?: string,
): object {
  const touches = ({ from, to }: { from: string; to: string | null }): boolean =>
    address === undefined || from === address || to === address;
  const transfers = transfersIn(transaction).filter(touches);
  const list = (member: string, rows: readonly object[]): object => (rows.length === 0 ? {} : { [member]: rows });
  const ofStandard = (standard: TokenTransfer['standard']): object[] =>
    transfers.filter((transfer) => transfer.standard === standard).map((one) => renderTransfer(ledger, history, one));
  const internals = internalsIn(transaction).filter(({ frame }) => touches(frame));
  return {
    ...list('erc20Transfers', ofStandard('ERC-20')),
    ...list('erc721Transfers', ofStandard('ERC-721')),
    ...list('erc1155Transfers', ofStandard('ERC-1155')),
    ...list(
      'internalTransactions',
      internals.map((one) => renderInternal(ledger, history, one)),
    ),
  };
}
