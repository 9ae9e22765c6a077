import { encodeUtxo } from '../../codec/encodeUtxo.ts';
import type { Ledger } from '../../types.ts';
import { RawNumber } from '../http/jsonText.ts';
import { renderAmount } from '../primary/assets.ts';
import { blockchainIdOf } from '../primary/chainIds.ts';
import type { PrimaryHistory } from '../primary/primaryHistory.ts';
import type { PrimaryTx, Utxo } from '../primary/primaryTypes.ts';
import { recoverKey } from '../primary/recoverKey.ts';

/** A whole number that may exceed what a double holds. */
export const renderUint = (value: bigint): number | RawNumber =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
    ? Number(value)
    : new RawNumber(value);

export interface UtxoView {
  readonly ledger: Ledger;
  readonly history: PrimaryHistory;
  /** Milliseconds of chain time. */
  readonly asOf: number;
  /** The transaction whose inputs or outputs are shown; null in lists of UTXOs, which have their bytes instead. */
  readonly within: PrimaryTx | null;
}

const genesisSecond = ({ c }: Ledger): number => c.blocks[0]?.timestamp ?? 0;

/** An output in the form of the P-Chain. */
export function renderPlatformUtxo(utxo: Utxo, { ledger, history, asOf, within }: UtxoView): object {
  const { createdBy, staking } = utxo;
  const consumer = consumerAt(utxo, asOf);
  const staked = isStakedAt(utxo, asOf);
  const crosses = utxo.createdOn !== utxo.consumableOn;
  return {
    addresses: utxo.addresses,
    utxoId: utxo.id,
    txHash: utxo.txId,
    outputIndex: utxo.outputIndex,
    blockTimestamp: createdBy?.time ?? genesisSecond(ledger),
    blockNumber: String(createdBy?.height ?? 0),
    ...(consumer === null || staked
      ? {}
      : {
          consumingTxHash: consumer.id,
          consumingBlockTimestamp: consumer.time,
          consumingBlockNumber: String(consumer.height),
        }),
    assetId: utxo.assetId,
    asset: renderAmount(history, utxo.assetId, utxo.amount, utxo.kind),
    utxoType: staking !== null || utxo.stakeableLocktime > 0n ? 'STAKE' : 'TRANSFER',
    amount: String(utxo.amount),
    ...(crosses ? {} : { platformLocktime: renderUint(utxo.locktime) }),
    ...(utxo.stakeableLocktime > 0n ? { stakeableLocktime: renderUint(utxo.stakeableLocktime) } : {}),
    threshold: utxo.threshold,
    createdOnChainId: blockchainIdOf(ledger, utxo.createdOn),
    consumedOnChainId: blockchainIdOf(ledger, utxo.consumableOn),
    staked,
    ...(staking === null ? {} : { utxoStartTimestamp: staking.start, utxoEndTimestamp: staking.end }),
    ...(within !== null && utxo.rewardType !== null ? { rewardType: utxo.rewardType } : {}),
    ...(within === null ? { utxoBytes: encodeUtxo(utxo) } : {}),
  };
}

/** An output in the form of the X-Chain and of atomic transactions. */
export function renderExchangeUtxo(utxo: Utxo, { ledger, history, asOf, within }: UtxoView): object {
  const { createdBy } = utxo;
  const consumer = consumerAt(utxo, asOf);
  // Among the inputs of a transaction the service tells the time of their spending here, not of their creation.
  const timestamp = within !== null && consumer === within ? within.time : (createdBy?.time ?? genesisSecond(ledger));
  return {
    addresses: utxo.addresses,
    utxoId: utxo.id,
    asset: renderAmount(history, utxo.assetId, utxo.amount, utxo.kind),
    utxoType: utxo.kind.endsWith('mint') ? 'mint' : 'transfer',
    outputIndex: String(utxo.outputIndex),
    timestamp,
    creationTxHash: utxo.txId,
    ...(consumer === null
      ? {}
      : {
          consumingTxHash: consumer.id,
          consumingTxTimestamp: consumer.time,
          credentials: renderCredentials(consumer, utxo.credential),
        }),
    locktime: renderUint(utxo.locktime),
    threshold: utxo.threshold,
    createdOnChainId: blockchainIdOf(ledger, utxo.createdOn),
    consumedOnChainId: blockchainIdOf(ledger, utxo.consumableOn),
    ...(utxo.kind.startsWith('nft') ? { groupId: utxo.groupId } : {}),
    ...(utxo.payload === '' ? {} : { payload: utxo.payload }),
    ...(within === null ? { utxoBytes: encodeUtxo(utxo) } : {}),
  };
}

/** Signatures of a credential with the keys behind them, in base64 without padding. */
export function renderCredentials(tx: PrimaryTx, credential: number): object[] {
  return (tx.credentials[credential] ?? []).map((signature) => {
    const key = recoverKey(tx, signature);
    return {
      ...(key === null ? {} : { publicKey: base64(key) }),
      signature: base64(Buffer.from(signature.slice(2), 'hex')),
    };
  });
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** Whether an output exists at a moment (milliseconds). */
export const existsAt = ({ createdBy }: Utxo, asOf: number): boolean => (createdBy?.visibleAt ?? -Infinity) <= asOf;

/** The transaction that has spent an output by then, or null. */
export const consumerAt = ({ consumedBy }: Utxo, asOf: number): PrimaryTx | null =>
  consumedBy !== null && consumedBy.visibleAt <= asOf ? consumedBy : null;

/** Whether an output is bound as somebody's stake at that moment. */
const isStakedAt = ({ staking }: Utxo, asOf: number): boolean =>
  staking !== null && !(staking.endedBy !== null && staking.endedBy.visibleAt <= asOf);
