import { int64, optional, text, unixSeconds } from '../../core/columns/columns.ts';

/** What all rows of a block share. */
export interface BlockPlace {
  /** Null for what is in no block. */
  readonly height: number | null;
  /** Unix seconds. */
  readonly timestamp: number | null;
  /** bech32 human-readable part of the network. */
  readonly hrp: string;
}

/** The transaction of an input or output. */
export interface UtxoTransaction {
  readonly place: BlockPlace;
  readonly id: Uint8Array;
  /** cb58. */
  readonly idText: string;
}

/** The block of an input or output. */
export const utxoPlace = {
  block_height: optional(int64('Height of the block; NULL before the X-Chain was linear.')),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks of the P-Chain, which carry none.')),
};

/** Where something stands that a transaction of the P-Chain does. */
export const pPlace = {
  tx_id: text('Transaction (cb58).'),
  block_height: optional(int64('Height of the block.')),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks.')),
};
