import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../decode/byteWriter.ts';
import { chainIds, filled } from './coins.ts';

/** A warp message that an L1 sends to the P-Chain; `own` is given the bytes of what it says. */
export function l1Message(type: number, write: (writer: ByteWriter) => void, own?: (bytes: Buffer) => void): Buffer {
  const inner = new ByteWriter();
  inner.u16(0);
  inner.u32(type);
  write(inner);
  own?.(inner.bytes());
  const call = new ByteWriter();
  call.u16(0);
  call.u32(1);
  call.prefixed(filled(5, 20));
  call.prefixed(inner.bytes());
  const message = new ByteWriter();
  message.u16(0);
  message.u32(12345);
  message.fixed(chainIds.C);
  message.prefixed(call.bytes());
  message.u32(0);
  message.prefixed(Buffer.of(1));
  message.fixed(filled(6, 96));
  return message.bytes();
}
