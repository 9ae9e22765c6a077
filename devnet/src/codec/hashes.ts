import { createHash } from 'node:crypto';
import { createKeccak } from 'hash-wasm';

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

// One hasher is enough: no call yields.
const hasher = await createKeccak(256);

export const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
