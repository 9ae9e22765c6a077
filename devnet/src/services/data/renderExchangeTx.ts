import { checksumAddress } from '../../codec/checksumAddress.ts';
import type { Ledger } from '../../types.ts';
import { renderAmount, renderCreatedAsset, renderSums } from '../primary/assets.ts';
import type { PrimaryHistory } from '../primary/primaryHistory.ts';
import type { PrimaryTx, Utxo } from '../primary/primaryTypes.ts';
import { renderCredentials, renderExchangeUtxo } from './renderUtxo.ts';

/** An X-Chain transaction of a linear block; only the UTXOs that `shows` lets through. */
export function renderExchangeTx(
  ledger: Ledger,
  history: PrimaryHistory,
  tx: PrimaryTx,
  asOf: number,
  shows: (utxo: Utxo) => boolean,
): object {
  const view = { ledger, history, asOf, within: tx };
  const x = ledger.x.blockchainId;
  return {
    txHash: tx.id,
    chainFormat: 'linear',
    blockHash: tx.blockId,
    blockHeight: tx.height,
    txType: tx.type,
    timestamp: tx.time,
    ...(tx.sourceChain === null ? {} : { sourceChain: tx.sourceChain, destinationChain: x }),
    ...(tx.destinationChain === null ? {} : { sourceChain: x, destinationChain: tx.destinationChain }),
    memo: tx.memo,
    consumedUtxos: tx.consumed.filter(shows).map((utxo) => renderExchangeUtxo(utxo, view)),
    emittedUtxos: tx.emitted.filter(shows).map((utxo) => renderExchangeUtxo(utxo, view)),
    amountUnlocked: renderSums(history, tx.consumed),
    amountCreated: renderSums(history, tx.emitted),
    ...(tx.type === 'CreateAssetTx' ? { assetCreated: renderCreatedAsset(tx) } : {}),
  };
}

/** An atomic transaction of the C-Chain: an import has UTXOs before and accounts after it, an export the reverse. */
export function renderAtomicTx(ledger: Ledger, history: PrimaryHistory, tx: PrimaryTx, asOf: number): object {
  const view = { ledger, history, asOf, within: tx };
  const imports = tx.type === 'ImportTx';
  return {
    txHash: tx.id,
    blockHeight: tx.height,
    blockHash: tx.blockId,
    timestamp: tx.time,
    memo: tx.memo,
    amountUnlocked: renderSums(history, imports ? tx.consumed : tx.evmInputs),
    amountCreated: renderSums(history, imports ? tx.evmOutputs : tx.emitted),
    sourceChain: tx.sourceChain,
    destinationChain: tx.destinationChain,
    txType: tx.type,
    ...(imports
      ? {
          consumedUtxos: tx.consumed.map((utxo) => renderExchangeUtxo(utxo, view)),
          evmOutputs: tx.evmOutputs.map(({ address, assetId, amount }) => ({
            toAddress: checksumAddress(address),
            asset: renderAmount(history, assetId, amount),
          })),
        }
      : {
          evmInputs: tx.evmInputs.map(({ address, assetId, amount }, at) => ({
            fromAddress: checksumAddress(address),
            asset: renderAmount(history, assetId, amount),
            credentials: renderCredentials(tx, at),
          })),
          emittedUtxos: tx.emitted.map((utxo) => renderExchangeUtxo(utxo, view)),
        }),
  };
}
