import { createRIPEMD160 } from 'hash-wasm';

// One hasher is enough: no call yields.
const hasher = await createRIPEMD160();

export const ripemd160 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
