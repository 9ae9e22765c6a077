import { once } from '../once.ts';
import type { Utxo } from '../services/primary/primaryTypes.ts';
import { toCheckedHex, u32 } from './bytes.ts';
import { fromCb58 } from './cb58.ts';
import { addressBytes } from './primaryAddress.ts';

/** `utxoBytes` of the service: always in the form of a plain transfer output, as `0x` hex with the 4-byte checksum. */
export const encodeUtxo = once((utxo: Utxo): string => {
  const addresses = utxo.addresses.map(addressBytes).filter((bytes) => bytes !== null);
  const value = Buffer.alloc(24);
  value.writeBigUInt64BE(utxo.amount, 0);
  value.writeBigUInt64BE(utxo.locktime, 8);
  value.writeUInt32BE(utxo.threshold, 16);
  value.writeUInt32BE(addresses.length, 20);
  const bytes = Buffer.concat([
    Buffer.alloc(2),
    fromCb58(utxo.txId),
    u32(utxo.outputIndex),
    fromCb58(utxo.assetId),
    u32(7),
    value,
    ...addresses,
  ]);
  return toCheckedHex(bytes);
});
