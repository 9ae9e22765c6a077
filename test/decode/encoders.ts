import { Buffer } from 'node:buffer';
import { list } from '../../src/decode/avalanche/codec.ts';
import type { Envelope } from '../../src/decode/avalanche/envelope.ts';
import { atomicUnsignedTx, type ExtraData } from '../../src/decode/avalanche/extraData.ts';
import { signedTx } from '../../src/decode/avalanche/signedTx.ts';
import { credential } from '../../src/decode/avalanche/transferables.ts';
import type { XVertex } from '../../src/decode/avalanche/xVertex.ts';
import type { EvmBlock } from '../../src/decode/evm/evmBlock.ts';
import { encodeEvmHeader } from '../../src/decode/evm/evmHeader.ts';
import { type EvmTransaction, encodeEvmTransaction } from '../../src/decode/evm/evmTransaction.ts';
import { rlpList, rlpString, rlpUint } from '../../src/decode/evm/rlpWriter.ts';
import { ByteWriter } from './byteWriter.ts';
import { encode } from './encode.ts';

const envelopeTypes = { block: 0, option: 1, granite: 2 } as const;

/** The inverse of `decodeEnvelope`: the container's bytes, without checksum. `id` is not looked at. */
export function encodeEnvelope(envelope: Envelope): Buffer {
  if (envelope.form === 'raw') return envelope.inner;
  const writer = new ByteWriter();
  writer.u16(0);
  writer.u32(envelopeTypes[envelope.form]);
  writer.fixed(envelope.parentId);
  if (envelope.form === 'option') {
    writer.prefixed(envelope.inner);
    return writer.bytes();
  }
  writer.i64(envelope.timestamp);
  writer.u64(envelope.pChainHeight);
  writer.prefixed(envelope.certificate);
  writer.prefixed(envelope.inner);
  if (envelope.epoch) {
    writer.u64(envelope.epoch.pChainHeight);
    writer.u64(envelope.epoch.number);
    writer.i64(envelope.epoch.startTime);
  }
  writer.prefixed(envelope.signature);
  return writer.bytes();
}

const atomicTx = signedTx(atomicUnsignedTx, credential);

/** The inverse of `decodeExtraData`. */
export function encodeExtraData({ form, txs }: ExtraData): Buffer {
  if (form === 'batch') return encode(list(atomicTx), txs, 0);
  const [tx] = txs;
  return tx ? encode(atomicTx, tx, 0) : Buffer.alloc(0);
}

/** The inverse of `decodeXVertex`. */
export function encodeXVertex({ chainID, height, epoch, parentIDs, txs }: XVertex): Buffer {
  const writer = new ByteWriter();
  writer.u16(txs ? 0 : 1);
  writer.fixed(chainID);
  writer.u64(height);
  if (epoch !== null) writer.u32(epoch);
  writer.u32(parentIDs.length);
  for (const parent of parentIDs) writer.fixed(parent);
  if (txs) writer.u32(txs.length);
  for (const tx of txs ?? []) writer.prefixed(tx);
  return writer.bytes();
}

/** The inverse of `decodeEvmBlock`. */
export const encodeEvmBlock = (block: EvmBlock): Buffer =>
  rlpList([
    encodeEvmHeader(block.header),
    rlpList(block.transactions.map(encodeTransactionItem)),
    rlpList(block.uncles),
    rlpUint(block.version),
    rlpString(block.extraData),
  ]);

/** A transaction as an item of a block's transaction list: legacy as it is, typed as a string. */
function encodeTransactionItem(tx: EvmTransaction): Buffer {
  const bytes = encodeEvmTransaction(tx);
  return (bytes[0] as number) >= 0xc0 ? bytes : rlpString(bytes);
}
