import { ByteReader } from './byteReader.ts';
import { toCb58 } from './cb58.ts';
import { sha256 } from './hashes.ts';
import { toAddress } from './primaryAddress.ts';

/** What a warp message to the P-Chain says about an L1 validator. */
export type ValidatorMessage =
  | {
      readonly kind: 'register';
      /** 32 bytes: the hash of the message itself. */
      readonly validationId: Uint8Array;
      readonly subnetId: string;
      readonly nodeId: string;
      readonly blsPublicKey: string;
      readonly balanceOwner: Owner;
      readonly weight: bigint;
    }
  | { readonly kind: 'weight'; readonly validationId: Uint8Array; readonly nonce: bigint; readonly weight: bigint };

export interface Owner {
  readonly threshold: number;
  readonly addresses: readonly string[];
}

const register = 1;
const setWeight = 3;

/** Reads the payload of a warp message (`0x` hex, signed or not) addressed to the P-Chain; null where it is about something else. */
export function readValidatorMessage(hex: string, prefix: string): ValidatorMessage | null {
  const message = new ByteReader(Buffer.from(hex.slice(2), 'hex'));
  message.take(2 + 4 + 32);
  const call = new ByteReader(message.blob());
  call.take(2 + 4);
  call.blob();
  const payload = call.blob();
  const reader = new ByteReader(payload);
  reader.u16();
  const kind = reader.u32();
  if (kind === setWeight) {
    return { kind: 'weight', validationId: reader.take(32), nonce: reader.u64(), weight: reader.u64() };
  }
  if (kind !== register) return null;
  const subnetId = reader.id();
  const nodeId = `NodeID-${toCb58(reader.blob())}`;
  const blsPublicKey = `0x${reader.take(48).toString('hex')}`;
  reader.u64();
  const balanceOwner = readOwner(reader, prefix);
  readOwner(reader, prefix);
  return {
    kind: 'register',
    validationId: sha256(payload),
    subnetId,
    nodeId,
    blsPublicKey,
    balanceOwner,
    weight: reader.u64(),
  };
}

function readOwner(reader: ByteReader, prefix: string): Owner {
  return { threshold: reader.u32(), addresses: reader.list(() => toAddress(prefix, reader.take(20))) };
}
