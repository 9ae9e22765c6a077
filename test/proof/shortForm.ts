import { afterAll, beforeAll, test, vi } from 'vitest';
import type { Prepared, Proof } from './proof.ts';
import { repeatCommand } from './runProofs.ts';
import { openScene, type Scene } from './scene.ts';

/** Tries the named cases of proofs as tests of their own, those that `quick` does not name as long ones; what fails says how to repeat it. */
export function shortForm(cases: readonly (readonly [Proof, readonly number[]])[], quick: readonly string[]): void {
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
  let scene: Scene;
  const prepared = new Map<Proof, Prepared | string>();
  beforeAll(async () => {
    scene = await openScene(undefined, { isShort: true });
    for (const [proof] of cases) prepared.set(proof, await proof.prepare(scene));
  });
  afterAll(() => scene?.close());
  for (const [proof, numbers] of cases) {
    for (const number of numbers) {
      const seed = `${proof.name}:${number}`;
      test(seed, { tags: quick.includes(seed) ? [] : ['long'] }, async () => {
        const ready = prepared.get(proof);
        if (typeof ready !== 'object') return;
        await ready.run(number).catch((error: unknown) => {
          throw new Error(`${error instanceof Error ? error.message : error}\nRepeat it: ${repeatCommand(seed)}`, {
            cause: error,
          });
        });
      });
    }
  }
}
