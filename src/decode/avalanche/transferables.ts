import { type Codec, id, type Json, struct, u32, u64, union, type ValueOf, withJson } from './codec.ts';
import {
  credentialFields,
  fxIds,
  inputFields,
  ownerFields,
  transferInputFields,
  transferOutputFields,
} from './fxTypes.ts';

// The types of the P-Chain, which the C-Chain's atomic transactions share: only secp256k1fx, and the P-Chain's own stakeable locks.

/** The node's JSON names the feature extension beside the value. */
export function withFx<T>(codec: Codec<T>, fxOf: (value: T) => Json): Codec<T> {
  return withJson(codec, (json, value) => ({ ...json, fxID: fxOf(value) }));
}

const secp = () => fxIds.secp256k1fx;

/** Outputs of the P-Chain, by type id. A StakeableLockOut allows the output inside only to be staked until its locktime. */
export const outputVariants = {
  TransferOutput: [7, transferOutputFields],
  StakeableLockOut: [
    22,
    { locktime: u64, output: union('locked output', { TransferOutput: [7, transferOutputFields] }) },
  ],
} as const;
const pOutput = union('output', outputVariants);

const pInput = union('input', {
  TransferInput: [5, transferInputFields],
  StakeableLockIn: [21, { locktime: u64, input: union('locked input', { TransferInput: [5, transferInputFields] }) }],
});

/** An output with its asset. */
export const transferableOutput = withFx(struct({ assetID: id, output: pOutput }), secp);
/** An input with the output that it spends (transaction and index) and its asset. */
export const transferableInput = withFx(struct({ txID: id, outputIndex: u32, assetID: id, input: pInput }), secp);

export const credential = union('credential', { Credential: [9, credentialFields] });
/** Proof that the owner of a subnet, validator or L1 agrees: whose signatures stand in the last credential. */
export const authorization = union('authorization', { Input: [10, inputFields] });
export const typedOwner = union('owner', { OutputOwners: [11, ownerFields] });

export type TransferableOutput = ValueOf<typeof transferableOutput>;
export type TransferableInput = ValueOf<typeof transferableInput>;
