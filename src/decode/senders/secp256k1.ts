import { createRequire } from 'node:module';

/** Recovery of public keys from signatures, and how well this machine does it. */
interface Secp256k1 {
  readonly ecdsaRecover: typeof import('secp256k1')['ecdsaRecover'];
  /** Why JavaScript does it here, about 30 times slower than libsecp256k1, and what to do about it; null where the library does. */
  readonly slow: string | null;
}

/**
 * libsecp256k1, as the package brings it or as it was built on this machine; else the package's own fallback in JavaScript, with the
 * same results. The package itself would choose without saying so; therefore its two halves are loaded by name.
 *
 * @param require loads a module by its name
 */
export function loadSecp256k1(require: (id: string) => unknown): Secp256k1 {
  try {
    return { ...(require('secp256k1/bindings') as Secp256k1), slow: null };
  } catch (error) {
    const { ecdsaRecover } = require('secp256k1/elliptic') as Secp256k1;
    const [why] = String(error instanceof Error ? error.message : error).split('\n');
    return {
      ecdsaRecover,
      slow:
        `Senders are recovered in JavaScript, about 30 times slower than natively: the library of secp256k1 cannot be loaded (${why}). ` +
        '"npm rebuild secp256k1 --foreground-scripts" where firn is installed builds it, with Python and a C++ compiler. The results are the same.',
    };
  }
}

let loaded: Secp256k1 | undefined;

/** Loaded by its first use: most runs recover no senders. */
export const secp256k1 = (): Secp256k1 => (loaded ??= loadSecp256k1(createRequire(import.meta.url)));
