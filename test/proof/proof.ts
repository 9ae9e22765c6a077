import type { Scene } from './scene.ts';

/** A promise that is tried over and over, each time with a seed of its own: `<name>:<number>`, counted from 1. */
export interface Proof {
  readonly name: string;
  /** What is done and what must hold, for the table. */
  readonly claim: string;
  /** Where the words of a case are a row of a table of its own: its heads. Rows stand in it by the numbers in `by`, the highest first. */
  readonly table?: { readonly heads: readonly string[]; readonly by: string };
  /** @returns what is ready, or why this machine cannot do it */
  prepare(scene: Scene): Promise<Prepared | string>;
}

export interface Prepared {
  /** Of the long form, which all proofs together go through in four hours. */
  readonly cases: number;
  /** All that there are, where that is more. */
  readonly all?: number;
  /**
   * Tries a case: what a number means never changes on the same commit.
   *
   * @returns what was done, in words that are counted
   * @throws Error saying what does not hold
   */
  run(number: number): Promise<readonly string[]>;
}
