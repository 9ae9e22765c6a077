import { kills } from './kills.ts';
import { pairs } from './pairs.ts';
import type { Proof } from './proof.ts';

/** All proofs, in the order of the table. */
export const proofs: readonly Proof[] = [kills, pairs];
