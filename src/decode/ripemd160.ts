import { createRIPEMD160 } from 'hash-wasm';

// Not every OpenSSL below Node has it. One hasher is enough: no call yields.
const hasher = await createRIPEMD160();

/** RIPEMD-160 as 20 bytes. */
export const ripemd160 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
