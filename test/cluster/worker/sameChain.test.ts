/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenWorkerOptions } from '../../../src/cluster/worker/openWorker.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { startOtherChain } from '../../pipelines/data-api/startOtherChain.ts';
import type { Streams } from '../../pipelines/standardHarness.ts';
import { testCluster } from './lakeOfTests.ts';

/** A cluster that reads a data service, and whose service may be another one at each look. */
async function opened(streams: Streams) {
  const devnet = await startDevnet({ head: '50%' });
  onTestFinished(() => devnet.close());
  const { work, settings, rows } = await testCluster(devnet, streams);
  const look = async (url: string, more: Streams = {}, options: Partial<OpenWorkerOptions> = {}) => {
    const results: PartitionResult[] = [];
    const sources = { ...settings.sources, data: { ...settings.sources['data'], url } };
    const { main } = settings.pipelines;
    await work(true, {
      settings: {
        ...settings,
        sources,
        pipelines: { main: { ...main, streams: { ...streams, ...more } } },
      } as typeof settings,
      finished: (_, result) => results.push(result),
      ...options,
    });
    return results.map(({ stream, code, outcome }) => `${stream} ${code ?? outcome}`).sort();
  };
  return { devnet, look, rows };
}

test.each([
  ['in the lake', false],
  ['in the stage alone', true],
])(
  'rows of a chain that was made anew are refused to an address that is read for the first time, by rows %s',
  async (_, readsOnly) => {
    const id = 'data/address_transactions';
    const of = (addresses: readonly string[]) => ({ [id]: { chainIds: ['43112'], addresses } });
    const first = '0x494392D07EBAeBf803566bb7ba54F35E72c440FE';
    const added = '0x7B5A37fC08C8FC3f088F4F690409EBcc05c44DC7';
    const { devnet, look, rows } = await opened(of([first]));
    await look(devnet.url, {}, { readsOnly });
    const before = await rows();
    expect(before['raw.data_address_transactions']?.length === 0).toBe(readsOnly);
    devnet.moveHead('70%');
    const { url } = await startOtherChain(devnet.url);
    expect(await look(url, of([first, added]), { readsOnly })).toEqual([`${id} source_shrank`, `${id} source_shrank`]);
    expect(await rows()).toEqual(before);
  },
);

test('so are snapshots, which do not tell of their chain, until the service is the one before', async () => {
  const { devnet, look, rows } = await opened({
    'data/validators': {},
    'data/chains': {},
    'data/primary_transactions': { blockchainIds: ['p-chain'], from: 0 },
  });
  await look(devnet.url);
  const before = await rows();
  devnet.moveHead('60%');
  const { url } = await startOtherChain(devnet.url);
  expect(await look(url)).toEqual([
    'data/chains done',
    'data/primary_transactions source_shrank',
    'data/validators source_shrank',
  ]);
  expect((await rows())['raw.data_validators']).toEqual(before['raw.data_validators']);
  expect(await look(devnet.url)).toEqual([
    'data/chains done',
    'data/primary_transactions done',
    'data/validators done',
  ]);
});

test.each([
  ['in the lake', false],
  ['in the stage alone', true],
])('a look that failed tells nothing: the next snapshot looks again, by rows %s', async (_, readsOnly) => {
  // They are read in the order of their names.
  const { devnet, look } = await opened({
    'data/delegators': {},
    'data/primary_transactions': { blockchainIds: ['p-chain'], from: 0 },
    'data/validators': {},
  });
  const options = { readsOnly, atOnce: 1 };
  await look(devnet.url, {}, options);
  devnet.moveHead('60%');
  const { url } = await startOtherChain(devnet.url, { refusesOnce: /p-chain\/transactions/ });
  expect(await look(url, {}, options)).toEqual([
    'data/delegators done',
    'data/primary_transactions source_shrank',
    'data/validators source_shrank',
  ]);
});
