import { toBech32 } from '../bytes/address.ts';
import { bytes, fixed, list, struct, u32, u64 } from './codec.ts';

/** A 20-byte address of the P- or X-Chain; in JSON with the chain's alias in front. */
const address = fixed(20, (value, view) => `${view.chain}-${toBech32(value, view.hrp)}`);

/** A recoverable secp256k1 signature: r, s, recovery id. */
const signature = fixed(65);

// Members of the feature extensions' types. They are given as members, because a type stands both alone and behind a type id.

export const ownerFields = { locktime: u64, threshold: u32, addresses: list(address) } as const;
export const inputFields = { signatureIndices: list(u32) } as const;
export const credentialFields = { signatures: list(signature) } as const;
export const transferInputFields = { amount: u64, ...inputFields } as const;
export const transferOutputFields = { amount: u64, ...ownerFields } as const;
export const nftMintOutputFields = { groupID: u32, ...ownerFields } as const;
export const nftTransferOutputFields = { groupID: u32, payload: bytes(), ...ownerFields } as const;

export const owner = struct(ownerFields);
export const input = struct(inputFields);
export const transferOutput = struct(transferOutputFields);
export const nftTransferOutput = struct(nftTransferOutputFields);

/** Names of the feature extensions as the node's JSON gives them: cb58 of the name, padded to 32 bytes. */
export const fxIds = {
  secp256k1fx: 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ',
  nftfx: 'qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT',
  propertyfx: 'rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy',
} as const;
