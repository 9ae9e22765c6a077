/** @module-tag long */
import { expect, test } from 'vitest';
import { chains } from '../../../pipelines/data-api/chains.ts';
import { chainMetrics } from '../../../pipelines/metrics-api/chainMetrics.ts';
import type { Lease, Ledger } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { toReplay } from '../../../src/cluster/ledger/partitions.ts';
import { replayInCluster } from '../../../src/cluster/worker/replayInCluster.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { emptyWarehouse } from '../../load/temporaryWarehouse.ts';
import { heightsStream } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';
import { streamCluster } from './streamCluster.ts';

/** A cluster that reads a made-up chain, of which height 13 cannot be read at first. */
async function opened() {
  const cluster = await heightsCluster();
  cluster.chain.wrong.add(13);
  return cluster;
}

const all = Array.from({ length: 30 }, (_, height) => height);
const without13 = all.filter((height) => height !== 13);

test('a record is asked for again, and enters the lake once it can be read', async () => {
  const { run, chain, heights, entries, control } = await opened();
  await run();
  expect(await heights()).toEqual(without13);
  expect(await entries()).toEqual([{ times_seen: '1', is_read: false }]);
  expect(await control.query('SELECT position FROM firn.quarantine')).toEqual([{ position: '13' }]);
  await run();
  expect(await entries()).toEqual([{ times_seen: '1', is_read: false }]);
  chain.wrong.clear();
  await run();
  expect(await heights()).toEqual(all);
  expect(await entries()).toEqual([{ times_seen: '1', is_read: true }]);
  // The partition stands where its stretches were joined, and not at the record.
  expect(await control.query('SELECT tip FROM firn.part')).toEqual([{ tip: null }]);
  chain.asked.splice(0);
  await run();
  expect(await heights()).toEqual(all);
  expect(chain.asked).toEqual(['head']);
});

test('what follows a stretch that ends with a record in quarantine is joined to it', async () => {
  const { run, chain, heights, ledger } = await heightsCluster();
  // All before it is committed already.
  chain.without.add(11);
  await run();
  chain.without.clear();
  chain.wrong.add(11);
  await run();
  expect((await ledger.standsAt({ stream: heightsStream.id, partition: 'all' })).cursor).toEqual({ next: 30 });
  chain.wrong.clear();
  await run();
  expect(await heights()).toEqual(all);
});

test('one that does not fit to the rows beside it stays where it is', async () => {
  const { run, chain, heights, entries } = await opened();
  await run();
  chain.wrong.clear();
  chain.foreign.add(13);
  await run();
  expect(await heights()).toEqual(without13);
  expect(await entries()).toEqual([{ times_seen: '1', is_read: false }]);
});

test('nothing is asked for again while rows beside it are on their way', async () => {
  const { run, chain, heights } = await opened();
  await run({ applyRest: undefined });
  chain.wrong.clear();
  await run({ applyRest: undefined });
  await run();
  expect(await heights()).toEqual(without13);
  await run();
  expect(await heights()).toEqual(all);
});

test('what this version can read is replayed once, whatever fails and however many do it', async () => {
  const { run, heights, entries, control, ledger, stage } = await opened();
  await run();
  const replay = async (
    more: Partial<Ledger> = {},
    how: { owner?: string; leaseMs?: number; signal?: AbortSignal } = {},
  ) => {
    const scratch = await openWarehouse({ folder: await emptyWarehouse(), tables: [heightsStream.table] });
    return replayInCluster({
      cluster: { control, ledger: { ...ledger, ...more }, stage },
      planned: [{ pipeline: 'p', stream: heightsStream, parameters: {} }],
      network: { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] },
      scratch,
      owner: 'replay',
      signal: new AbortController().signal,
      ...how,
    }).finally(() => scratch.close());
  };
  const of = { stream: heightsStream.id, partition: 'all' };
  expect(await replay()).toEqual([{ ...of, tried: 1, readable: 0 }]);
  // What a schema that knows more would make of it.
  await control.query(`UPDATE firn.quarantine SET record = replace(record, '"name":null', '"name":"a"')`);
  const lost = replay({ commit: () => Promise.reject(new FirnError('unavailable', 'the answer was lost')) });
  await expect(lost).rejects.toThrow('the answer was lost');
  const held = await ledger.leaseWhole({ ...of, owner: 'a worker', ms: 60_000 });
  await expect(replay({}, { leaseMs: 10 })).rejects.toMatchObject({ code: 'locked' });
  const stop = new AbortController();
  const leaseWhole = async () => {
    stop.abort('SIGTERM');
    return null;
  };
  await expect(replay({ leaseWhole }, { signal: stop.signal })).rejects.toMatchObject({ code: 'interrupted' });
  expect(await entries()).toEqual([{ times_seen: '1', is_read: false }]);
  await ledger.release(held as Lease, { dueInMs: 0 });
  const both = await Promise.all([replay(), replay({}, { owner: 'other' })]);
  expect(both.flat().map(({ readable }) => readable)).toEqual([1]);
  expect(await entries()).toEqual([{ times_seen: '1', is_read: true }]);
  await run();
  expect(await heights()).toEqual(all);
});

test('records of a list are replayed some at a time, and each finds what those before it became', async () => {
  const stream = chains as unknown as Stream;
  const { run, control, ledger, stage, engine } = await streamCluster(stream);
  const listed = ['1', '2', '3', '4'].map((chainName) => ({ chainName }));
  await run({ fetch: { data: async () => ({ body: { chains: listed }, fetchedAt: Date.now(), bytes: 1 }) } });
  await control.query(`UPDATE firn.quarantine SET record = replace(record, 'Name', 'Id') WHERE record NOT LIKE '%3%'`);
  const scratch = await openWarehouse({ folder: await emptyWarehouse(), tables: tablesOf([stream]) });
  const sizes: number[] = [];
  const some: Ledger['toReplay'] = async (of, after) => {
    const records = await toReplay(control, of, after, { records: 2, bytes: 1e6 });
    sizes.push(records.length);
    return records;
  };
  const replayed = await replayInCluster({
    cluster: { control, ledger: { ...ledger, toReplay: some }, stage },
    planned: [{ pipeline: 'p', stream, parameters: {} }],
    network: { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] },
    scratch,
    owner: 'replay',
    signal: new AbortController().signal,
  }).finally(() => scratch.close());
  const of = { stream: stream.id, partition: 'network=fuji' };
  expect([replayed, sizes]).toEqual([[{ ...of, tried: 4, readable: 3 }], [2, 2]]);
  const current = `SELECT chain_id AS id FROM ${chains.table.name} WHERE _valid_to IS NULL ORDER BY 1`;
  const ids = ['1', '2', '4'].map((id) => ({ id }));
  await run({ fetch: { data: () => Promise.reject(new FirnError('unavailable', 'it is down')) } });
  expect(await engine.query(current)).toEqual(ids);
  const chainsNow = ids.map(({ id }) => ({ chainId: id }));
  await run({ fetch: { data: async () => ({ body: { chains: chainsNow }, fetchedAt: Date.now(), bytes: 1 }) } });
  expect(await engine.query(current)).toEqual(ids);
});

test('a record of a list of which nothing tells which it is holds rows that are not listed any more, until it is accepted', async () => {
  const { run, control, engine } = await streamCluster(chains as unknown as Stream);
  const read = async (...listed: readonly object[]) => {
    await run({ fetch: { data: async () => ({ body: { chains: listed }, fetchedAt: Date.now(), bytes: 1 }) } });
    const current = `SELECT chain_id AS id FROM ${chains.table.name} WHERE _valid_to IS NULL ORDER BY 1`;
    return (await engine.query<{ id: string }>(current)).map(({ id }) => Number(id));
  };
  const [one, two, three] = [1, 2, 3].map((id) => ({ chainId: String(id) })) as [object, object, object];
  const nameless = { chainName: {} };
  expect(await read(one, two, three)).toEqual([1, 2, 3]);
  expect(await read(one, two, nameless)).toEqual([1, 2, 3]);
  await control.query('UPDATE firn.quarantine SET accepted_at = now()');
  expect(await read(one, two, nameless)).toEqual([1, 2]);
});

test('a value that is replayed has the time of the control database, as all others', async () => {
  const stream = chainMetrics as unknown as Stream;
  const { run, control, ledger, stage, engine } = await streamCluster(stream);
  const parameters = { chainIds: ['1'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-01' };
  const planned = [{ pipeline: 'p', stream, parameters }];
  const body = { results: [{ timestamp: 1_767_225_600, value: {} }] };
  await run({ planned, fetch: { metrics: async () => ({ body, fetchedAt: Date.now(), bytes: 1 }) } });
  await control.query(`UPDATE firn.quarantine SET record = replace(record, '{}', '5')`);
  // Its clock is a day behind that of this machine.
  const query: Control['query'] = async <R extends object>(sql: string, values?: readonly unknown[]) =>
    (await control.query<R>(sql, values)).map((row) =>
      'now' in row ? { ...row, now: String(Number(row.now) - 86_400_000) } : row,
    );
  const scratch = await openWarehouse({ folder: await emptyWarehouse(), tables: tablesOf([stream]) });
  const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
  const signal = new AbortController().signal;
  const cluster = { control: { ...control, query }, ledger, stage };
  await replayInCluster({ cluster, planned, network, scratch, owner: 'replay', signal });
  scratch.close();
  await run({ planned, fetch: { metrics: async () => ({ body: { results: [] }, fetchedAt: Date.now(), bytes: 1 }) } });
  const ages = `SELECT date_diff('hour', fetched_at, now()::TIMESTAMP)::INTEGER AS hours FROM raw.metrics_chain_metrics_revisions`;
  expect(await engine.query(ages)).toEqual([{ hours: 24 }]);
});
