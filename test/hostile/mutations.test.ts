import { beforeAll, expect, test } from 'vitest';
import { readLedger } from '../../src/devnet/readLedger.ts';
import { startDevnet } from '../../src/devnet/startDevnet.ts';
import { currentRows, parametersOf, type Streams, syncOnce, withFolder } from '../pipelines/standardHarness.ts';
import { mutatingProxy } from './mutatingProxy.ts';

// FIRN_HOSTILE=20 attacks with as many seeds: npm run proof.
const seeds = Array.from(
  { length: Number(process.env['FIRN_HOSTILE'] ?? 1) },
  (_, i) => i + 1 + Number(process.env['SEED'] ?? 0),
);

let ledger: Awaited<ReturnType<typeof readLedger>>;
let streams: Streams;
beforeAll(async () => {
  ledger = await readLedger();
  const devnet = await startDevnet({ ledger, head: '30%' });
  streams = await parametersOf(devnet);
  await devnet.close();
});

test.each(seeds)('odd values in answers end no stream with an error that firn does not know, seed %i', async (seed) => {
  const devnet = await startDevnet({ ledger, head: '30%' });
  const proxy = await mutatingProxy(devnet.url, seed, 0.4);
  try {
    await withFolder(async (folder) => {
      const results = await syncOnce(folder, proxy, streams, { retry: { attempts: 2, baseMs: 1 } });
      console.log(
        proxy.changed(),
        JSON.stringify(
          results
            .map((r) => [r.outcome, r.code])
            .reduce((a: any, b) => {
              const k = b.join();
              a[k] = (a[k] ?? 0) + 1;
              return a;
            }, {}),
        ),
      );
      const unknown = results.filter(({ outcome, code }) => outcome === 'failed' && code === 'failed');
      expect(unknown.map(({ stream, partition, message }) => `${stream} (${partition}): ${message}`)).toEqual([]);
      expect(proxy.changed()).toBeGreaterThan(10);
      // Nothing of it lasts: the next run, with a server that answers well, reads everything.
      const after = await syncOnce(folder, devnet, streams);
      const stuck = after.filter(({ outcome }) => outcome !== 'done');
      expect(stuck.map(({ stream, partition, message }) => `${stream} (${partition}): ${message}`)).toEqual([]);
    });
  } finally {
    await proxy.close();
    await devnet.close();
  }
});
