import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { recoverSenders } from '../../src/decode/recoverSenders.ts';
import { rlpList, rlpUint } from '../../src/decode/rlpWriter.ts';
import type { SenderPool } from '../../src/decode/senderPool.ts';

const built = new URL('../../dist/src/decode/senderPool.js', import.meta.url);
const raws = Array.from({ length: 1000 }, (_, nonce) =>
  rlpList([BigInt(nonce), 1n, 21000n, 0n, 1n, 0n, 27n, BigInt(nonce) + 1n, 7n].map(rlpUint)),
);

// Threads exist in the built package only, which `npm test` builds first.
it.skipIf(!existsSync(fileURLToPath(built)))('recovers on threads what it recovers without, in order', async () => {
  const { startSenderPool } = (await import(built.href)) as { startSenderPool(size: number): SenderPool };
  const pool = startSenderPool(2);
  const expected = recoverSenders(raws);
  expect(new Set(expected).size).toBeGreaterThan(400);
  expect(await Promise.all([pool.recover(raws), pool.recover(raws.slice(0, 3)), pool.recover([])])).toEqual([
    expected,
    expected.slice(0, 3),
    [],
  ]);
  await pool.close();
});
