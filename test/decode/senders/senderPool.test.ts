import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { rlpList, rlpUint } from '../../../src/decode/evm/rlpWriter.ts';
import { recoverSenders } from '../../../src/decode/senders/recoverSenders.ts';
import type { SenderPool } from '../../../src/decode/senders/senderPool.ts';
import { temporary } from '../../temporaryFolders.ts';

const built = new URL('../../../dist/src/decode/senders/senderPool.js', import.meta.url);
const raws = Array.from({ length: 1000 }, (_, nonce) =>
  rlpList([BigInt(nonce), 1n, 21000n, 0n, 1n, 0n, 27n, BigInt(nonce) + 1n, 7n].map(rlpUint)),
);

// Threads exist in the built package only, which `npm test` builds first.
const isBuilt = existsSync(fileURLToPath(built));
test.skipIf(!isBuilt)('recovers on threads what it recovers without, in order', async () => {
  const { startSenderPool } = (await import(built.href)) as { startSenderPool(size: number): SenderPool };
  const pool = startSenderPool(2);
  const expected = recoverSenders(raws);
  expect(new Set(expected).size).toBeGreaterThan(400);
  expect(await Promise.all([pool.recover(raws), pool.recover(raws.slice(0, 3)), pool.recover([])])).toEqual([
    expected,
    expected.slice(0, 3),
    [],
  ]);
  const late = expect(pool.recover(raws)).rejects.toThrow();
  await pool.close();
  await late;
});

/** Runs a module in a process of its own that starts a pool from the built package, or from a copy of it, and recovers something. */
async function inProcess(pool: URL): Promise<string> {
  const file = join(await temporary(), 'main.mjs');
  await writeFile(
    file,
    `import { startSenderPool } from ${JSON.stringify(pool.href)};
     const pool = startSenderPool(2);
     const raws = Array.from({ length: 2000 }, () => new Uint8Array(3));
     console.log(await pool.recover(raws).then(({ length }) => length, ({ message }) => message));`,
  );
  return (await promisify(execFile)(process.execPath, [file])).stdout;
}

test.skipIf(!isBuilt)('keeps no process alive that has not closed it', async () => {
  expect(await inProcess(built)).toBe('2000\n');
});

test.skipIf(!isBuilt)('refuses what waits for threads that cannot be started', { tags: 'long' }, async () => {
  const folder = await temporary();
  for (const part of ['core', 'decode']) {
    await cp(new URL(`../../${part}`, built), join(folder, 'src', part), { recursive: true });
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await rm(join(folder, 'src/decode/senders/senderWorker.js'));
  expect(await inProcess(pathToFileURL(join(folder, 'src/decode/senders/senderPool.js')))).toMatch(
    /Cannot find module.*senderWorker/,
  );
});
