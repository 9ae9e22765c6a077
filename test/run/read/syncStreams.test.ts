import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import { type LookupStream, type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import type { SyncOptions } from '../../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../../src/run/read/syncStreams.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { transfersStream } from '../../load/transfers.ts';
import { detailsOf, get } from './detailsStream.ts';
import { prepareSync } from './prepareSync.ts';

/** A network at `head`, a new warehouse, and a sync of `streams` from one into the other. */
async function syncing(head: string, streams: Record<string, object>, metrics?: string) {
  const devnet = await startDevnet({ port: 0, head });
  onTestFinished(() => devnet.close());
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  const sources = { node: { url: devnet.url }, metrics: { url: metrics ?? devnet.url } };
  const prepared = await prepareSync(warehouse, { sources, streams });
  onTestFinished(prepared.close);
  const sync = (options: Partial<SyncOptions> = {}) => syncStreams({ ...prepared, ...options });
  const blocks = async () => {
    const [row] = await warehouse.query<{ blocks: bigint; newest: bigint }>(
      'SELECT count(*) AS blocks, max("number") AS newest FROM raw.node_evm_blocks',
    );
    return { held: Number(row?.blocks), newest: Number(row?.newest) };
  };
  return { devnet, sync, blocks, ...prepared };
}

// Traces are most of what there is to read, and nothing here is about them.
const cBlocks = { 'node/evm_blocks': { blockchainIds: ['C'], traces: false } };

test('reads up to the head, then what is new, and asks once where nothing is', { tags: 'long' }, async () => {
  const { devnet, sync, blocks, warehouse } = await syncing('20%', cBlocks);
  const [told] = await sync();
  const first = await blocks();
  expect(first.held).toBe(first.newest + 1);
  const [load] = await warehouse.query<{ children: number }>(
    'SELECT CAST(sum(child_rows_written) AS INTEGER) AS children FROM firn.load',
  );
  expect(told).toMatchObject({ rows: first.held, childRows: load?.children });
  devnet.moveHead('30%');
  const [second] = await sync();
  const then = await blocks();
  expect(then.newest).toBeGreaterThan(first.newest);
  expect(then.held).toBe(then.newest + 1);
  expect(second?.outcome).toBe('done');
  const [third] = await sync();
  expect(third).toMatchObject({ outcome: 'done', rows: 0, requests: 1 });
});

// A process that runs on a schedule had every run's pools and warehouse in memory for as long as it lived.
test('a run that has ended no longer hears its signal', { tags: 'long' }, async () => {
  const { sync } = await syncing('20%', { 'node/platform_validators': {} });
  const [stop, heard] = [new AbortController(), vi.fn()];
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  await sync({ warehouse: { ...warehouse, commit: heard }, signal: stop.signal });
  heard.mockClear();
  stop.abort();
  expect(heard).not.toHaveBeenCalled();
});

test('what several pipelines name is read by one after the other: the next goes on where the one before has ended', {
  tags: 'long',
}, async () => {
  const lists = { 'node/platform_validators': {} };
  const { devnet, sync, blocks, planned } = await syncing('20%', { ...cBlocks, ...lists });
  const slow = planned.map((one) => ({ ...one, pipeline: 'slow' }));
  const outcomes = async () => {
    const results = await sync({ planned: [...planned, ...slow] });
    return results
      .map(({ stream, pipeline, outcome, message }) => `${stream} ${pipeline} ${message ?? outcome}`)
      .sort();
  };
  for (const head of ['30%', '40%']) {
    devnet.moveHead(head);
    expect(await outcomes()).toEqual([
      'node/evm_blocks main done',
      'node/evm_blocks slow done',
      'node/platform_validators main done',
      'node/platform_validators slow done',
    ]);
    const { held, newest } = await blocks();
    expect(held).toBe(newest + 1);
  }
});

test('a stream whose notes throw fails alone', { tags: 'long' }, async () => {
  const { sync, planned } = await syncing('20%', { 'node/platform_validators': {}, 'node/platform_supply': {} });
  const notes = () => {
    throw new Error('no such luck');
  };
  const odd = planned.map((one, i) => (i === 0 ? { ...one, stream: { ...one.stream, notes } as Stream } : one));
  const results = await sync({ planned: odd });
  expect(results.map(({ outcome, message }) => message ?? outcome).sort()).toEqual(['done', 'no such luck']);
});

test('a source that does not answer fails its streams alone', { tags: 'long' }, async () => {
  const metrics = {
    'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount', 'gasUsed'], from: '2025-01-01' },
  };
  const { sync, blocks } = await syncing('10%', { ...cBlocks, ...metrics }, 'http://127.0.0.1:1');
  const results = await sync();
  const outcomes = results.map(({ stream, outcome, code }) => [stream, outcome, code]);
  expect(outcomes).toContainEqual(['node/evm_blocks', 'done', undefined]);
  const failed = results.filter(({ stream }) => stream === 'metrics/chain_metrics');
  expect(new Set(failed.map(({ outcome, code, message }) => JSON.stringify([outcome, code, message]))).size).toBe(1);
  expect(failed[0]).toMatchObject({ outcome: 'failed', code: 'unavailable' });
  expect((await blocks()).held).toBeGreaterThan(0);
});

test('a chain that cannot be looked at fails alone: nothing says that its source lost what was read', {
  tags: 'long',
}, async () => {
  const { devnet, sync, fetch } = await syncing('20%', { ...cBlocks, 'node/platform_blocks': {} });
  await sync();
  devnet.moveHead('30%');
  const node: Fetch = async (request, sent) => {
    if (request.path.includes('/C/')) throw new FirnError('unavailable', 'down');
    return (await fetch['node']?.(request, sent)) as never;
  };
  const results = await sync({ fetch: { node } });
  const outcomes = results.map(({ stream, outcome, rows }) => [stream, outcome, rows > 0]);
  expect(outcomes.sort()).toEqual([
    ['node/evm_blocks', 'failed', false],
    ['node/platform_blocks', 'done', true],
  ]);
});

test("a read that is stopped tells how far it is from the source's head; one that ends tells nothing", {
  tags: 'long',
}, async () => {
  const { sync, blocks } = await syncing('50%', cBlocks);
  const stop = new AbortController();
  const [stopped] = await sync({ signal: stop.signal, listener: { progress: () => stop.abort('SIGINT') } });
  const before = (await blocks()).held;
  const [whole] = await sync();
  expect([stopped?.outcome, whole?.outcome]).toEqual(['stopped', 'done']);
  expect(stopped?.behind).toBe((await blocks()).held - before);
  expect(stopped?.behind).toBeGreaterThan(0);
  expect(whole).not.toHaveProperty('behind');
});

test('a run that ends while a node is asked whether it is ready ends as any other', { tags: 'long' }, async () => {
  const { devnet, sync } = await syncing('20%', cBlocks);
  await sync();
  devnet.moveHead('10%');
  const stop = new AbortController();
  const notReady = async () => {
    stop.abort('SIGTERM');
    throw new FirnError('interrupted', 'stopped');
  };
  expect(await sync({ signal: stop.signal, notReady })).toMatchObject([{ outcome: 'stopped' }]);
});

test('an age means what it meant when a partition was first read, and no other day later', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ port: 0, head: '3%' });
  onTestFinished(() => devnet.close());
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  const sources = { node: { url: devnet.url }, data: { url: devnet.url, network: 'fuji' } };
  // Nothing comes of the second one: it is as before its first read each time.
  const addresses = [`0x${'11'.repeat(20)}`];
  const sync = async (day: string, from: string) => {
    const streams = {
      'node/evm_blocks': { ...cBlocks['node/evm_blocks'], from },
      'data/address_transactions': { chainIds: ['43112'], addresses, from },
    };
    const { close, ...prepared } = await prepareSync(warehouse, { sources, streams });
    const clock = { ...systemClock, now: () => Date.parse(day) };
    const results = await syncStreams({ ...prepared, clock }).finally(close);
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    return results.flatMap(({ notes = [] }) => notes.filter((note) => note.includes('(from)')));
  };
  const noted = () => warehouse.query('SELECT stream, "from" FROM firn.begun ORDER BY stream');
  const loads = () => warehouse.query('SELECT count(*) AS n FROM firn.load');

  expect(await sync('2026-03-04', '-10d')).toEqual([]);
  const before = [await noted(), await loads()];
  expect(before[0]?.map(({ from }) => from)).toEqual(['2026-02-22T00:00:00Z', '2026-02-22T00:00:00Z']);
  for (const from of ['-10d', '2026-03-01', '-30d']) {
    expect(await sync('2026-03-24', from), from).toEqual([]);
    if (from === '-10d') expect([await noted(), await loads()]).toEqual(before);
  }
  expect(await sync('2026-03-24', '-40d')).toEqual([
    'It was read from 2026-02-22T00:00:00Z on, and is to begin at -40d (from): "firn backfill node/evm_blocks --from -40d" reads what lies below.',
  ]);
});

/** Reads one key of a stream on chains, one after the other; `there` are those that have it. Others ask for a key of their own. */
async function lookingUp(chains: readonly string[], there: readonly string[], own: readonly string[] = []) {
  const asked: string[] = [];
  const stream: LookupStream = {
    ...detailsOf(1),
    partitions: () => chains.map((chain_id) => ({ values: { chain_id } })),
    keys: ({ values: { chain_id = '' } }) => `SELECT '${own.includes(chain_id) ? chain_id : 'all'}' AS "key"`,
    request: (_, { values }) => get(values['chain_id'] ?? ''),
  };
  const told: string[] = [];
  const fetch: Fetch = async ({ path }) => {
    asked.push(path);
    if (!there.includes(path)) throw new FirnError('not_found', `Not on ${path}.`);
    return { body: { items: [{ name: path, size: 1 }] }, bytes: 1, fetchedAt: 1 };
  };
  const results = await syncStreams({
    warehouse: await temporaryWarehouse(tablesOf([stream])),
    planned: [{ pipeline: 'main', stream, parameters: {} }],
    network: { networkId: 1, network: 'fuji', hrp: 'local', chains: [] },
    fetch: { data: fetch },
    runId: 'r',
    signal: new AbortController().signal,
    listener: { finished: ({ partition, outcome }) => told.push(`${partition} ${outcome}`) },
    atOnce: 1,
  });
  expect(results.map(({ partition, outcome }) => `${partition} ${outcome}`)).toEqual(told);
  return { told, asked: asked.join(' ') };
}

test('a key that is named for all chains fails none of them once one has it, in whatever order they are read', async () => {
  const found = ['chain_id=2 done', 'chain_id=3 done', 'chain_id=1 done'];
  expect((await lookingUp(['1', '2', '3'], ['2'])).told).toEqual(found);
  const nowhere = ['chain_id=1 failed', 'chain_id=2 failed'];
  expect((await lookingUp(['1', '2'], [])).told).toEqual(nowhere);
  // Nobody has its key: it is not asked for twice.
  const wrong = await lookingUp(['1', '2'], ['2'], ['1']);
  expect(wrong).toEqual({ told: ['chain_id=2 done', 'chain_id=1 failed'], asked: '1 2' });
});

/** Reads partitions of a stream in the way that `readStream` says, over a network that nobody asks. */
async function reading(chains: readonly string[], readStream: NonNullable<SyncOptions['readStream']>) {
  const partitions = (): Partition[] => chains.map((chain_id) => ({ values: { chain_id } }));
  const stream = { ...transfersStream(), partitions };
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const results = syncStreams({
    warehouse,
    planned: [{ pipeline: 'main', stream, parameters: {} }],
    network: { networkId: 1, network: 'fuji', hrp: 'local', chains: [] },
    fetch: { data: () => Promise.reject(new Error('nobody asks')) },
    runId: 'r',
    signal: stop.signal,
    readStream,
  });
  return { warehouse, stop, results };
}

test('a batch that cannot be written fails its partition alone: the others go on from their checkpoints', async () => {
  const reads: string[] = [];
  let isWritten = () => {};
  const written = new Promise<void>((resolve) => {
    isWritten = resolve;
  });
  const { results } = await reading(['good', 'bad'], async (_, { partition, warehouse, committed }) => {
    const chain = String(partition.values['chain_id']);
    reads.push(chain);
    if (chain === 'bad') {
      await written;
      await warehouse.write({}, 1, (tx) => tx.run(`INSERT INTO firn.gap VALUES ('s', 'p', 'nowhere', 2, 1)`));
      return;
    }
    const { durable } = await warehouse.write({}, 1, (tx) => tx.run(`INSERT INTO firn.gap VALUES ('s', 'p', 1, 2, 1)`));
    isWritten();
    await durable;
    committed({ rows: 1, childRows: 0, quarantined: 0, bytes: 1 });
  });
  const outcomes = (await results).map(({ partition, outcome, rows }) => [partition, outcome, rows]);
  expect(outcomes.sort()).toEqual([
    ['chain_id=bad', 'failed', 0],
    ['chain_id=good', 'done', 1],
  ]);
  expect((await results).find(({ outcome }) => outcome === 'failed')?.message).toContain('nowhere');
  expect(reads.sort()).toEqual(['bad', 'bad', 'good', 'good']);
});

test.each([
  [3, 'done', undefined],
  [4, 'failed', 'rolled_back'],
])(
  'what was taken back is read again, while there may be more memory: %i times in a row',
  async (times, outcome, code) => {
    let reads = 0;
    const { results } = await reading(['1'], async () => {
      if (reads++ < times) throw new FirnError('rolled_back', 'taken back', { retryable: true });
    });
    expect(await results).toMatchObject([{ outcome, ...(code && { code }) }]);
  },
);

test('a signal makes durable what was written, though an answer hangs', async () => {
  let isDurable = false;
  const { stop, results } = await reading(['1'], async (_, { warehouse, signal }) => {
    const { durable } = await warehouse.write({}, 1, (tx) => tx.run(`INSERT INTO firn.gap VALUES ('s', 'p', 1, 2, 1)`));
    const hangs = new Promise((resolve) => signal.addEventListener('abort', resolve));
    stop.abort('SIGTERM');
    await durable;
    isDurable = true;
    await hangs;
  });
  await results;
  expect(isDurable).toBe(true);
});
