import { afterAll, beforeAll, test, vi } from 'vitest';
import type { Prepared, Proof } from './proof.ts';
import { repeatCommand } from './runProofs.ts';
import { openScene, type Scene } from './scene.ts';

/** Tries the named cases of proofs as tests of their own; what fails says how to repeat it. */
export function shortForm(cases: readonly (readonly [Proof, readonly number[]])[]): void {
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
  let scene: Scene;
  const prepared = new Map<Proof, Prepared | string>();
  beforeAll(async () => {
    scene = await openScene(undefined, { isShort: true });
    for (const [proof] of cases) prepared.set(proof, await proof.prepare(scene));
  });
  afterAll(() => scene?.close());
  const all = cases.flatMap(([proof, numbers]) =>
    numbers.map((number) => [`${proof.name}:${number}`, proof, number] as const),
  );
  test.each(all)('%s', async (seed, proof, number) => {
    const ready = prepared.get(proof);
    if (typeof ready !== 'object') return;
    await ready.run(number).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\nRepeat it: ${repeatCommand(seed)}`, {
        cause: error,
      });
    });
  });
}
