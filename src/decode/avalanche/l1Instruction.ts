import type { Buffer } from 'node:buffer';
import { ByteReader } from '../bytes/byteReader.ts';
import { decodeError } from '../bytes/decodeError.ts';
import { bool, bytes, fixed, id, struct, u32, u64, union, type ValueOf } from './codec.ts';
import { l1Owner } from './pTransactions.ts';
import { readCodecVersion, readWhole } from './signedTx.ts';

const unsignedMessage = struct({ networkID: u32, sourceChainID: id, payload: bytes() });
const messageSignature = union('warp signature', { BitSetSignature: [0, { signers: bytes(), signature: fixed(96) }] });
const payload = union('warp payload', {
  Hash: [0, { hash: id }],
  AddressedCall: [1, { sourceAddress: bytes(), payload: bytes() }],
});
const l1Message = union('L1 message', {
  SubnetToL1Conversion: [0, { id }],
  RegisterL1Validator: [
    1,
    {
      subnetID: id,
      nodeID: bytes(),
      blsPublicKey: fixed(48),
      expiry: u64,
      remainingBalanceOwner: l1Owner,
      disableOwner: l1Owner,
      weight: u64,
    },
  ],
  L1ValidatorRegistration: [2, { validationID: id, registered: bool }],
  L1ValidatorWeight: [3, { validationID: id, nonce: u64, weight: u64 }],
});

/** What the validator manager of an L1 tells the P-Chain. */
export interface L1Instruction {
  /** The chain that the message comes from. */
  readonly sourceChainID: Buffer;
  /** The contract that sent it. */
  readonly sourceAddress: Buffer;
  readonly instruction: ValueOf<typeof l1Message>;
  /** The bytes of `instruction`; the SHA-256 of a RegisterL1Validator's is the new validation id. */
  readonly bytes: Buffer;
}

/** Decodes the signed warp message of RegisterL1ValidatorTx and SetL1ValidatorWeightTx down to the instruction. */
export function decodeL1Instruction(message: Uint8Array): L1Instruction {
  const reader = new ByteReader(message);
  readCodecVersion(reader, 'the warp message');
  const { sourceChainID, payload: inner } = unsignedMessage.read(reader, 'the warp message');
  messageSignature.read(reader, 'the signature');
  reader.end('the warp message');
  const call = readWhole(inner, payload, 'the warp payload', 'the payload');
  if (call.type !== 'AddressedCall')
    throw decodeError('Expected an addressed call in the warp message, found a hash', inner.length);
  const instruction = readWhole(call.payload, l1Message, 'the L1 message', 'the instruction');
  return { sourceChainID, sourceAddress: call.sourceAddress, instruction, bytes: call.payload };
}
