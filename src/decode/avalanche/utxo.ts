import { addressesOf } from '../bytes/address.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { toHex } from '../bytes/hex.ts';
import { id, struct, u32, union } from './codec.ts';
import { readWhole, utxoId } from './signedTx.ts';
import { outputVariants } from './transferables.ts';
import { xOutputVariants } from './xTransactions.ts';

/** A UTXO as platform.getUTXOs, avm.getUTXOs, avax.getUTXOs and platform.getRewardUTXOs give it. */
const utxo = struct({
  txID: id,
  outputIndex: u32,
  assetID: id,
  output: union('UTXO', { ...xOutputVariants, ...outputVariants }),
});

/** A UTXO on its own. */
export interface UtxoRow {
  /** cb58. */
  readonly utxo_id: string;
  /** cb58; the transaction that made it, all zero in the P-Chain's genesis. */
  readonly tx_id: string;
  readonly output_index: number;
  /** cb58. */
  readonly asset_id: string;
  /** Type on the wire, such as TransferOutput, StakeableLockOut, NftTransferOutput. */
  readonly output_type: string;
  /** In the asset's smallest unit (nAVAX); null for minting rights, NFTs and properties. */
  readonly amount: bigint | null;
  /** Unix seconds as u64; it cannot be spent before; 0 for none. */
  readonly locktime: bigint;
  /** Unix seconds as u64; until then it may only be staked; null if it is not a StakeableLockOut. */
  readonly stakeable_locktime: bigint | null;
  /** How many of the addresses must sign. */
  readonly threshold: number;
  /** bech32 without a chain alias. */
  readonly addresses: readonly string[];
  /** Group of an NFT. */
  readonly group_id: number | null;
  /** `0x` hex; payload of an NFT. */
  readonly payload: string | null;
}

/** Decodes the bytes of a UTXO (checksum already stripped) to a row. */
export function decodeUtxo(bytes: Uint8Array, hrp: string): UtxoRow {
  const { txID, outputIndex, assetID, output } = readWhole(bytes, utxo, 'the UTXO');
  const state = output.type === 'StakeableLockOut' ? output.output : output;
  return {
    utxo_id: encodeCb58(utxoId(txID, outputIndex)),
    tx_id: encodeCb58(txID),
    output_index: outputIndex,
    asset_id: cachedCb58(assetID),
    output_type: output.type,
    amount: 'amount' in state ? state.amount : null,
    locktime: state.locktime,
    stakeable_locktime: output.type === 'StakeableLockOut' ? output.locktime : null,
    threshold: state.threshold,
    addresses: addressesOf(state, hrp),
    group_id: 'groupID' in state ? state.groupID : null,
    payload: 'payload' in state ? toHex(state.payload) : null,
  };
}
