import type { Raw } from '../types.ts';

/** Methods by name: how many params each takes at most, and its answer. */
export type EvmMethods = Readonly<
  Record<string, readonly [most: number, answer: (params: readonly unknown[], now: number) => Raw]>
>;
