import { expect, test } from 'vitest';
import type { PublishedVersion } from '../../../src/cluster/contract.ts';
import { verifyNewest } from '../../../src/cluster/verify/verifyNewest.ts';
import type { LakeVerdict } from '../../../src/publish/verify/verifyLake.ts';

test.each([
  ['what lasts is told at last, however often others publish', 1, [false, false, false, false], [1, 2, 3]],
  ['what was found of a version that is not the newest any more is looked for in that', 1, [false, true], [1, 2]],
  ['what is found of the newest version is told', 0, [false, true], [1]],
])('%s', async (_, each, found, wanted) => {
  let newest = 1;
  const looked: number[] = [];
  const ledger = { version: async () => ({ id: newest }) as PublishedVersion };
  const verdict = await verifyNewest(ledger, async ({ id }) => {
    looked.push(id);
    newest += each;
    return { ok: found[looked.length - 1], version: id } as LakeVerdict;
  });
  expect(looked).toEqual(wanted);
  expect(verdict).toEqual({ ok: found[looked.length - 1], version: looked.at(-1) });
});
