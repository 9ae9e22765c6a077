import type { Prepared, Proof } from './proof.ts';
import type { Scene } from './scene.ts';

/** One thing that can go wrong; throws what does not hold. */
export interface Mishap {
  readonly name: string;
  run(scene: Scene): Promise<void>;
}

/** A proof whose cases are written down one by one: the number is the place in the list. */
export const listed = (
  name: string,
  claim: string,
  cases: readonly Mishap[],
  lacks?: (scene: Scene) => Promise<string | undefined>,
): Proof => ({
  name,
  claim,
  prepare: async (scene): Promise<Prepared | string> =>
    (await lacks?.(scene)) ?? {
      cases: cases.length,
      async run(number) {
        const mishap = cases[number - 1];
        if (!mishap) throw new Error(`There are ${cases.length} cases.`);
        try {
          await mishap.run(scene);
        } catch (error) {
          throw new Error(`${mishap.name}: ${error instanceof Error ? error.message : error}`, { cause: error });
        }
        return [mishap.name];
      },
    },
});
