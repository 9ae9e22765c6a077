import { attacks } from './attacks.ts';
import { bits } from './bits.ts';
import { canary } from './canary.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { limits } from './limits.ts';
import { pairs } from './pairs.ts';
import { people } from './people.ts';
import { powerLoss } from './powerLoss.ts';
import type { Proof } from './proof.ts';
import { syscalls } from './syscalls.ts';

/** All proofs, in the order of the table. */
export const proofs: readonly Proof[] = [
  syscalls,
  kills,
  pairs,
  bits,
  powerLoss,
  limits,
  people,
  canary,
  hostile,
  attacks,
];
