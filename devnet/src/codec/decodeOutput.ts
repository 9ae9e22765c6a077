import type { Output, OutputKind } from '../services/primary/primaryTypes.ts';
import type { ByteReader } from './byteReader.ts';
import { toAddress } from './primaryAddress.ts';

/** Kinds by codec type id; P, X and C agree on those they share. */
const kinds: Readonly<Record<number, OutputKind>> = {
  6: 'mint',
  7: 'transfer',
  10: 'nft_mint',
  11: 'nft_transfer',
  15: 'property_mint',
  16: 'property',
};
const stakeableLock = 22;

/** An output in its bytes: asset id, type id, value. Throws on an unknown type. */
export function decodeOutput(reader: ByteReader, prefix: string): Output {
  const assetId = reader.id();
  let type = reader.u32();
  let stakeableLocktime = 0n;
  if (type === stakeableLock) {
    stakeableLocktime = reader.u64();
    type = reader.u32();
  }
  const kind = kinds[type];
  if (kind === undefined) throw new Error(`output type ${type} is unknown`);
  const amount = kind === 'transfer' ? reader.u64() : 0n;
  const groupId = kind === 'nft_mint' || kind === 'nft_transfer' ? reader.u32() : 0;
  const payload = kind === 'nft_transfer' ? `0x${reader.blob().toString('hex')}` : '';
  const locktime = reader.u64();
  const threshold = reader.u32();
  const addresses = reader.list(() => toAddress(prefix, reader.take(20)));
  return { assetId, kind, amount, addresses, threshold, locktime, stakeableLocktime, groupId, payload };
}

/** A whole UTXO as getUTXOs and getRewardUTXOs give it, without checksum: codec version, transaction, index, output. */
export function decodeUtxo(reader: ByteReader, prefix: string): { txId: string; outputIndex: number; output: Output } {
  reader.u16();
  const txId = reader.id();
  const outputIndex = reader.u32();
  return { txId, outputIndex, output: decodeOutput(reader, prefix) };
}
