import { readLedger, startDevnet } from 'firn-devnet';
import { beforeAll, expect, test } from 'vitest';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { parametersOf, type Streams, syncOnce, withFolder } from '../pipelines/standardHarness.ts';
import { mutatingProxy } from './mutatingProxy.ts';

// FIRN_HOSTILE=20 (npm run proof): every stream, attacked with 20 seeds.
const attacks = process.env['FIRN_HOSTILE'];
const seeds = Array.from({ length: Number(attacks ?? 1) }, (_, i) => i + 1);
/** One stream of each way of reading, and those whose paging looks into records most. */
const some =
  /^(node\/(containers|platform_blocks|platform_validators|evm_blocks)|data\/(latest_transactions|address_internal_transactions|token_transfers|utxos|transaction_details)|metrics\/.*)$/;

let ledger: Awaited<ReturnType<typeof readLedger>>;
let streams: Streams;

beforeAll(async () => {
  ledger = await readLedger();
  const devnet = await startDevnet({ ledger, head: '40%' });
  const all = Object.entries(await parametersOf(devnet));
  streams = Object.fromEntries(attacks === undefined ? all.filter(([id]) => some.test(id)) : all);
  await devnet.close();
});

const told = (results: readonly PartitionResult[]) =>
  results.map(({ stream, partition, message }) => `${stream} (${partition}): ${message}`);

test.each(seeds)(
  'odd values in answers are refused with a reason, and nothing of them lasts: seed %i',
  async (seed) => {
    const devnet = await startDevnet({ ledger, head: '40%' });
    const proxy = await mutatingProxy(devnet.url, seed);
    try {
      await withFolder(async (folder) => {
        const results = await syncOnce(folder, proxy, streams, { retry: { attempts: 2, baseMs: 1, holdMs: 1 } });
        expect(proxy.changed()).toBeGreaterThan(10);
        // Whatever is not known to firn as an error was not thought of.
        expect(told(results.filter(({ code }) => code === 'failed'))).toEqual([]);
        const after = await syncOnce(folder, devnet, streams);
        expect(told(after.filter(({ outcome }) => outcome !== 'done'))).toEqual([]);
      });
    } finally {
      await proxy.close();
      await devnet.close();
    }
  },
);
