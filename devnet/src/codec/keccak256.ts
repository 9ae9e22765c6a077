import { createKeccak } from 'hash-wasm';

// One hasher is enough: no call yields.
const hasher = await createKeccak(256);

export const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
