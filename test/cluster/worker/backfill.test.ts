/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { readControlState } from '../../../src/cluster/check/readControlState.ts';
import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { fetchOf, heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { historyOf, transactionsBelow } from '../../run/upkeep/addressHistories.ts';
import { heightsCluster } from './heightsCluster.ts';
import { testCluster } from './lakeOfTests.ts';
import { streamCluster } from './streamCluster.ts';

const streams = (from: number) => ({
  'node/platform_blocks': { from },
  'data/latest_transactions': { chainIds: ['43112'], from },
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'] },
});

test('a backfill reads what lies below, in stretches that all workers share, and is resumed', async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const whole = await testCluster(devnet, streams(0));
  await whole.work();
  const part = await testCluster(devnet, streams(20));
  const { control } = part.cluster;
  const unread = await results({ backfill: { from: '0' } });
  const unreadable = { outcome: 'failed', code: 'usage', message: expect.stringContaining('firn worker') };
  expect(unread).toEqual([expect.objectContaining(unreadable), expect.objectContaining(unreadable)]);
  await part.work();
  const [before, all] = [await part.rows(), await whole.rows()];
  const blocks = 'raw.node_platform_blocks';
  expect(before[blocks]?.length).toBeLessThan(all[blocks]?.length ?? 0);

  /** Reads, and gives what came of each partition that was asked for beside what is new. */
  async function results(more: object): Promise<PartitionResult[]> {
    const found: PartitionResult[] = [];
    await part.work(false, {
      ...more,
      finished: (lease, result) => {
        if (lease.beside) found.push(result);
      },
    });
    return found;
  }
  // It ends in the middle of its pages, and goes on from its own cursor.
  const stop = new AbortController();
  let left = 2;
  const { commit } = part.cluster.ledger;
  await part.work(false, {
    backfill: { from: '0' },
    signal: stop.signal,
    cluster: {
      ...part.cluster,
      ledger: {
        ...part.cluster.ledger,
        async commit(lease, batch) {
          const said = await commit(lease, batch);
          if (lease.beside && --left === 0) stop.abort('SIGTERM');
          return said;
        },
      },
    },
  });
  // One that was killed holds it for a minute.
  const held = (until: string) =>
    control.query(
      `UPDATE firn.part SET lease_until = ${until} WHERE stream = 'data/latest_transactions' AND beside IS NOT NULL`,
    );
  await control.query(
    `INSERT INTO firn.part (stream, partition, beside) SELECT stream, partition, 'backfill' FROM firn.partition WHERE joined_to IS NULL AND stream <> 'metrics/chain_metrics' ON CONFLICT DO NOTHING`,
  );
  await held(`now() + interval '1 hour'`);
  const codes: unknown[] = [];
  await part.work(false, {
    backfill: { from: '0' },
    finished: ({ stream }, { code }) => code && codes.push([stream, code]),
  });
  expect(codes).toContainEqual(['data/latest_transactions', 'unavailable']);
  await held(`'-infinity'`);
  await results({ backfill: { from: '0' } });
  await part.work();
  const after = await part.rows();
  for (const table of [blocks, 'raw.node_platform_transactions', 'raw.data_latest_transactions'])
    expect({ table, rows: after[table] }).toEqual({ table, rows: all[table] });
  expect(await control.query('SELECT 1 FROM firn.part WHERE beside IS NOT NULL OR first_position IS NOT NULL')).toEqual(
    [],
  );

  await results({ backfill: { again: { first: '2026-01-01', last: '2026-12-31' } } });
  expect((await part.rows())['raw.data_latest_transactions']).toEqual(all['raw.data_latest_transactions']);
});

test('what is to begin earlier than it was read from is told, and no more once a backfill has read it', async () => {
  const devnet = await startDevnet({ head: '2%' });
  onTestFinished(() => devnet.close());
  const cluster = await testCluster(devnet, streams(20));
  const told = async (from: number, more: object = {}) => {
    const found: string[] = [];
    const main = { ...cluster.settings.pipelines['main'], streams: streams(from) };
    const settings = { ...cluster.settings, pipelines: { main } } as typeof cluster.settings;
    await cluster.work(true, { settings, finished: (_, { notes = [] }) => found.push(...notes), ...more });
    return found.filter((note) => note.includes('(from)')).sort();
  };
  expect(await told(20)).toEqual([]);
  expect(await told(30)).toEqual([]);
  const says = (id: string) =>
    `It was read from 20 on, and is to begin at 3 (from): "firn backfill ${id} --from 3" reads what lies below.`;
  expect(await told(3)).toEqual(['data/latest_transactions', 'node/platform_blocks'].map(says));
  const state = await readControlState(cluster.cluster.control, { sources: {} });
  expect(state?.begun.get('node/platform_blocks all')).toBe('20');
  // What was taken over from a version that noted nothing began where its position says.
  await cluster.cluster.control.query('UPDATE firn.partition SET begun = NULL');
  expect(await told(3)).toEqual([]);
  const begun = await cluster.cluster.control.query(
    `SELECT stream, begun FROM firn.partition WHERE stream NOT LIKE 'metrics/%' ORDER BY 1`,
  );
  expect(begun).toMatchObject([
    { stream: 'data/latest_transactions', begun: '20' },
    { stream: 'node/platform_blocks', begun: '3' },
  ]);
  await told(3, { backfill: { from: '3' } });
  expect(await told(3)).toEqual([]);
});

test('rows that another partition read, up to a height, are not taken for those of this one', async () => {
  const stream = addressTransactions as unknown as Stream;
  const { run, engine } = await streamCluster(stream);
  const work = (partition: Partition, more = {}) => {
    const planned = [
      { pipeline: 'p', stream: { ...stream, partitions: () => [partition] } as unknown as Stream, parameters: {} },
    ];
    return run({ fetch: { data: transactionsBelow(61) }, planned, ...more });
  };
  await work(historyOf(0, 20));
  await work(historyOf(50, null));
  const count = async () =>
    (await engine.query('SELECT count(*)::INTEGER AS held FROM raw.data_address_transactions'))[0];
  expect(await count()).toEqual({ held: 31 });
  await work(historyOf(50, null), { backfill: { from: '10' } });
  expect(await count()).toEqual({ held: 61 });
});

/** A made-up chain of which a cluster reads from height 8 on, in stretches of twelve, and what becomes of it. */
async function begunAt8() {
  const { run, chain, lake, ...cluster } = await heightsCluster();
  const [stream, partition] = [heightsStream, partitionOf({ from: 8 })];
  const planned = [{ pipeline: 'p', stream: { ...stream, partitions: () => [partition] }, parameters: {} }];
  const fetch = fetchOf(chain);
  const down: typeof fetch = async (request) => {
    if (request.path === '8..11') throw new FirnError('unavailable', 'The source is down.', { retryable: true });
    return fetch(request);
  };
  const read = (more: Parameters<typeof run>[0] = {}) => run({ planned, ...more });
  const failing = (more: Parameters<typeof run>[0] = {}) => read({ fetch: { node: down }, ...more });
  return { ...cluster, chain, lake, read, failing };
}
const from = { backfill: { from: '2' } };

test('a backfill that another process took over is not told as done', async () => {
  const { read, ledger, control } = await begunAt8();
  await read();
  const handedOut: typeof ledger.handedOut = async (of) => {
    await control.query(`UPDATE firn.part SET lease_until = now() WHERE beside IS NOT NULL`);
    expect(await ledger.leaseWhole({ ...of, owner: 'two', ms: 60_000, beside: 'backfill' })).not.toBeNull();
    return ledger.handedOut(of);
  };
  const told: unknown[] = [];
  const finished: WorkerOptions['finished'] = ({ beside }, { outcome, code }) => beside && told.push([outcome, code]);
  await read({ ...from, ledger: { ...ledger, handedOut }, finished });
  expect(told).toEqual([['failed', 'locked']]);
  expect(await control.query('SELECT beside, first_position FROM firn.part ORDER BY 1 NULLS FIRST')).toEqual([
    { beside: null, first_position: null },
    { beside: 'backfill', first_position: null },
  ]);
});

test('a backfill is refused while stretches of the one before it are to be read', async () => {
  const { read, chain } = await begunAt8();
  const fetch = fetchOf(chain);
  const below: typeof fetch = async (request) => {
    if (/^[2-7]\.\./.test(request.path)) throw new FirnError('unavailable', 'The source is down.', { retryable: true });
    return fetch(request);
  };
  await read();
  await read({ ...from, fetch: { node: below } });
  const told: unknown[] = [];
  const finished: WorkerOptions['finished'] = ({ beside }, { message }) => beside && told.push(message);
  await read({ backfill: { from: '0' }, fetch: { node: below }, finished });
  expect(told).toEqual([expect.stringContaining('1 stretches are not read')]);
});

test.each<[what: string, work: (cluster: Awaited<ReturnType<typeof begunAt8>>) => Promise<void>]>([
  [
    'the first stretch is still to be read',
    async ({ failing }) => {
      await failing();
      await failing(from);
    },
  ],
  [
    'the first stretch is read and applied while the lake is asked',
    async ({ failing, read, lake }) => {
      await failing();
      let isAsked = false;
      const query: typeof lake.engine.query = async (sql) => {
        const rows = await lake.engine.query(sql);
        if (!isAsked && sql.includes('min(')) {
          isAsked = true;
          await read({ owner: 'two' });
        }
        return rows as never;
      };
      await failing({ ...from, lake: { ...lake, engine: { ...lake.engine, query } } });
      expect(isAsked).toBe(true);
    },
  ],
  [
    'the first records are in quarantine',
    async ({ chain, read }) => {
      chain.wrong.add(8).add(9);
      await read();
      chain.wrong.clear();
      await read(from);
    },
  ],
])('a backfill ends below what was handed out where %s', async (_, work) => {
  const cluster = await begunAt8();
  await work(cluster);
  await cluster.read();
  expect(await cluster.heights()).toEqual(Array.from({ length: 28 }, (_, i) => i + 2));
});
