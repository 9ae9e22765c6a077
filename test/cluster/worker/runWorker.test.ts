import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import type { Engine, Lease, Ledger } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { runWorker } from '../../../src/cluster/worker/runWorker.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { NetworkFacts } from '../../../src/core/stream/network.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { emptyWarehouse } from '../../load/temporaryWarehouse.ts';
import { createChain, fetchOf, heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { span } from '../../span.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';
import { heightsCluster } from './heightsCluster.ts';

let url: string;
beforeAll(async () => {
  url = await freshDatabase();
});

const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
let names = 0;

/** A cluster of tests: a ledger and stage of its own for every stream name. */
async function opened(more: Partial<Stream> = {}) {
  const control = await openControl(url);
  // As if all that was read were applied, and the lake had lost it.
  const ledger: Ledger = { ...(await openLedger(control)), pendingTables: async () => [] };
  const engine = {
    words: { macros: new Map() },
    name: (relation) => relation,
    query: async () => [],
  } as Partial<Engine>;
  const stage = await openStage({ uri: await temporary() });
  const stream = { ...heightsStream, id: `node/heights_${names++}`, ...more } as Stream;
  const chain = createChain(49);
  const finished: { lease: Partial<Lease>; result: PartitionResult }[] = [];
  const run = async (worker: Partial<Parameters<typeof runWorker>[0]> = {}) =>
    runWorker({
      ledger,
      stage,
      lake: { engine: engine as Engine, tables: [] },
      planned: [{ pipeline: 'p', stream, parameters: {} }],
      network,
      fetch: { node: fetchOf(chain) },
      scratch: await emptyWarehouse(),
      owner: 'one',
      signal: new AbortController().signal,
      untilIdle: true,
      atOnce: 1,
      stretches: 3,
      timing: { look: 3_600_000 },
      finished: (lease, result) => finished.push({ lease, result }),
      ...worker,
    });
  /** Lets every look be due again. */
  const lookAgain = () => control.query('UPDATE firn.part SET due_at = now() WHERE stream = $1', [stream.id]);
  const rows = () => heightsIn(control, stream.id);
  const partition = async () =>
    (await control.query('SELECT joined_to, divided_to FROM firn.partition WHERE stream = $1', [stream.id]))[0];
  return { control, ledger, stage, stream, chain, run, finished, lookAgain, rows, partition };
}

/** Heights in the committed files of a stream, with the batch and row of each. */
async function heightsIn(control: Control, stream: string) {
  const files = await control.query<{ uri: string }>(
    `SELECT uri FROM firn.batch_file JOIN firn.load ON load_id = batch_id WHERE stream = $1 AND table_name = $2 ORDER BY batch_id`,
    [stream, heightsStream.table.name],
  );
  if (files.length === 0) return [];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const list = files.map(({ uri }) => `'${fileURLToPath(uri)}'`).join(', ');
  const reader = await connection.runAndReadAll(
    `SELECT height::INTEGER AS height, firn_batch::INTEGER AS batch, firn_row::INTEGER AS row, _load_id::INTEGER AS load FROM read_parquet([${list}]) ORDER BY height, firn_batch`,
  );
  connection.closeSync();
  instance.closeSync();
  return reader.getRowObjects() as { height: number; batch: number; row: number; load: number }[];
}

test('a worker divides a chain, reads its stretches, and goes on where it ended', { tags: 'long' }, async () => {
  const { run, rows, partition, chain, lookAgain, finished, control, stream } = await opened();
  await run();
  const read = await rows();
  expect(read.map(({ height }) => height)).toEqual(span(0, 50));
  expect(read.every(({ batch, load }) => batch === load)).toBe(true);
  expect(new Set(read.map(({ batch, row }) => `${batch} ${row}`)).size).toBe(50);
  expect(await partition()).toEqual({ joined_to: '50', divided_to: '50' });
  expect(finished.map(({ lease }) => lease.range?.first)).toEqual([undefined, 0, 12, 24, 36, 48]);
  expect(
    (await control.query('SELECT sum(rows_written) AS rows FROM firn.load WHERE stream = $1', [stream.id]))[0],
  ).toEqual({ rows: '50' });
  // What a load brought can be told from it alone, of the first batch of a stretch too.
  const brought = `SELECT sum((position_to::jsonb ->> 'next')::int - (position_from::jsonb ->> 'next')::int) AS positions FROM firn.load WHERE stream = $1`;
  expect(await control.query(brought, [stream.id])).toEqual([{ positions: '50' }]);
  chain.head = 53;
  await lookAgain();
  await run();
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 54));
});

test('three workers read one chain together', { tags: 'long' }, async () => {
  const { run, rows, partition, finished } = await opened();
  await Promise.all(['a', 'b', 'c'].map((owner) => run({ owner, untilIdle: true })));
  await run();
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50));
  expect(await partition()).toEqual({ joined_to: '50', divided_to: '50' });
  expect(finished.every(({ result }) => result.outcome === 'done')).toBe(true);
});

test('an outage of the ledger is told once, and what is due is read after it', { tags: 'long' }, async () => {
  const { run, ledger, rows } = await opened();
  const [stop, told] = [new AbortController(), [] as string[]];
  const log = { debug: () => {}, warn: (_: object, message: string) => void told.push(message) };
  let left = 3;
  const failing: Ledger = {
    ...ledger,
    async lease(filter) {
      if (left-- > 0) throw new FirnError('unavailable', `it is down, and ${left} more`);
      const lease = await ledger.lease(filter);
      if (!lease) stop.abort();
      return lease;
    },
  };
  await run({ ledger: failing, untilIdle: false, signal: stop.signal, log, timing: { idle: 5, look: 3_600_000 } });
  expect(told).toEqual(['it is down, and 2 more']);
  expect(await rows()).toHaveLength(50);
});

test('a signal ends it: what was read is committed, the lease is given back, and another goes on', {
  tags: 'long',
}, async () => {
  const { run, rows, chain, control, stream } = await opened();
  const stop = new AbortController();
  const fetch = fetchOf(chain);
  const stopping: typeof fetch = async (request) => {
    if (request.path === '16..19') stop.abort('SIGTERM');
    return fetch(request);
  };
  await run({ signal: stop.signal, fetch: { node: stopping } });
  const before = (await rows()).length;
  expect(before).toBeGreaterThan(12);
  expect(before).toBeLessThan(50);
  const held = await control.query('SELECT 1 FROM firn.part WHERE stream = $1 AND lease_until > now()', [stream.id]);
  expect(held).toEqual([]);
  await run({ owner: 'two' });
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50));
});

test('a worker that is slower than its lease loses it, and nothing is doubled', { tags: 'long' }, async () => {
  const { run, rows, ledger, control, stream, finished } = await opened();
  const slow: Ledger = {
    ...ledger,
    renew: async () => 'ok',
    async commit(lease, commit) {
      if (lease.range?.first === 12 && lease.owner === 'one') {
        await control.query('UPDATE firn.part SET lease_until = now() WHERE id = $1', [lease.part]);
        await run({ owner: 'two' });
      }
      return ledger.commit(lease, commit);
    },
  };
  await run({ ledger: slow });
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50));
  expect(finished.filter(({ result }) => result.code === 'locked').map(({ lease }) => lease.owner)).toEqual(['one']);
  expect(
    await control.query('SELECT 1 FROM firn.part WHERE stream = $1 AND first_position IS NOT NULL', [stream.id]),
  ).toEqual([]);
});

test('a worker that hears that its lease is another’s reads no further', { tags: 'long' }, async () => {
  const { run, rows, ledger, chain, finished } = await opened();
  const read = fetchOf(chain);
  let heard: (() => void) | undefined;
  const fenced = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const renew: Ledger['renew'] = async (lease, ms) => {
    if (lease.range?.first !== 12 || !heard) return ledger.renew(lease, ms);
    setImmediate(heard);
    heard = undefined;
    return 'fenced';
  };
  const slow: typeof read = async (request) => {
    if (/^(12|16)\.\./.test(request.path)) await fenced;
    return read(request);
  };
  await run({ ledger: { ...ledger, renew }, fetch: { node: slow }, timing: { lease: 1_500, look: 3_600_000 } });
  const told = finished.filter(({ lease }) => lease.range?.first === 12).map(({ result }) => result.outcome);
  expect(told).toEqual(['stopped', 'done']);
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50));
});

test('what fails between the stage and the ledger leaves an orphan, and is read again', { tags: 'long' }, async () => {
  const { run, rows, stage, ledger, lookAgain } = await opened();
  let failures = 3;
  const failing: Ledger = {
    ...ledger,
    async commit(lease, commit) {
      if (failures-- > 0) throw new Error('the answer was lost');
      return ledger.commit(lease, commit);
    },
  };
  await run({ ledger: failing });
  await lookAgain();
  await run();
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50));
  let files = 0;
  for await (const _ of stage.list()) files++;
  expect(files).toBe(new Set((await rows()).map(({ batch }) => batch)).size + 3);
});

test.each([
  ['whose key the stage refuses ends, and asks its source for no more', 'unauthorized', 1],
  ['whose bucket was deleted ends, too', 'config', 1],
  ['to which the stage does not answer goes on', 'unavailable', 5],
] as const)('a worker %s', async (_, code, reads) => {
  const { run, stage, finished } = await opened();
  const stop = new AbortController();
  let writes = 0;
  const write = async (): Promise<never> => {
    if (++writes === 5) stop.abort();
    throw new FirnError(code, 'it does not take the file', { retryable: code === 'unavailable' });
  };
  const ended = run({
    stage: { ...stage, write },
    untilIdle: false,
    signal: stop.signal,
    timing: { retry: 0, idle: 1 },
  });
  await (code === 'unavailable' ? ended : expect(ended).rejects.toMatchObject({ code }));
  expect(writes).toBe(reads);
  expect(finished.some(({ result }) => result.outcome === 'failed')).toBe(true);
});

test('a source that lost what was read from it is not read on', { tags: 'long' }, async () => {
  const { run, chain, lookAgain, finished, partition } = await opened();
  await run();
  chain.head = 60;
  chain.name = 'b';
  await lookAgain();
  await run();
  expect(finished.at(-1)?.result).toMatchObject({ outcome: 'failed', code: 'source_shrank' });
  chain.name = 'a';
  chain.head = 20;
  await lookAgain();
  await run();
  expect(finished.at(-1)?.result).toMatchObject({
    code: 'source_shrank',
    message: expect.stringContaining('ends at 20'),
  });
  expect(await partition()).toEqual({ joined_to: '50', divided_to: '50' });
});

test('records that cannot be read are set aside with the batch that met them', { tags: 'long' }, async () => {
  const { run, rows, chain, control, stream } = await opened();
  chain.wrong.add(13);
  await run();
  expect((await rows()).map(({ height }) => height)).toEqual(span(0, 50).filter((height) => height !== 13));
  const [entry] = await control.query('SELECT record, load_id, last_load_id FROM firn.quarantine WHERE stream = $1', [
    stream.id,
  ]);
  expect(entry).toMatchObject({ record: expect.stringContaining('13') });
  expect(entry?.['load_id']).toBe(entry?.['last_load_id']);
});

test('nothing that workers read is an error that says so', async () => {
  const { run } = await opened({ partitions: () => [] });
  await expect(run()).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('workers read') });
});

test('a chain that was down when the worker began is read once it is known', async () => {
  const partitions: Stream['partitions'] = ({ blockchainIds }: { blockchainIds: string[] }, { chains }) =>
    blockchainIds.map((name) => {
      if (name !== 'a' && chains.length === 0) throw new FirnError('unavailable', `${name} does not answer.`);
      return { ...partitionOf(), filters: { name } };
    });
  const { run, stream, finished, control, ledger } = await opened({
    ...{ needs: ['evm'], partitions, source: { ...heightsStream.source, identity: {} } },
    head(partition: Partition) {
      if (partition.filters?.['name'] === 'b') throw new FirnError('not_offered', 'b is not indexed.');
      return heightsStream.head(partition);
    },
  } as unknown as Partial<Stream>);
  const stop = new AbortController();
  let enlisted = 0;
  const enlist: Ledger['enlist'] = async (of) => {
    // The control database is away as b becomes known.
    if (++enlisted === 3) throw new FirnError('unavailable', 'The control database does not serve.');
    return ledger.enlist(of);
  };
  const known = { ...network, chains: [{ chainId: '7' }] } as unknown as NetworkFacts;
  const answers = [
    () => Promise.reject(new FirnError('unavailable', 'The node does not answer.')),
    () => Promise.resolve({ network }),
    () => Promise.resolve({ network: known }),
    () => Promise.resolve({ network: known }),
  ];
  let asked = 0;
  const isRead = (key: string, as: string) =>
    finished.some(({ lease, result }) => lease.partition === key && result.outcome === as);
  await run({
    ledger: { ...ledger, enlist },
    planned: [{ pipeline: 'p', stream, parameters: { blockchainIds: ['a', 'b'] } }],
    untilIdle: false,
    timing: { look: 3_600_000, list: 20, idle: 5 },
    signal: stop.signal,
    resolve: () => (answers[asked++] as (typeof answers)[0])(),
    finished: (lease, result) => {
      finished.push({ lease, result });
      if (isRead('name=a', 'done') && isRead('name=b', 'not_offered')) stop.abort();
    },
  });
  expect(asked).toBe(4);
  expect(finished.filter(({ result }) => result.outcome === 'failed').map(({ result }) => result.message)).toEqual([
    'b does not answer.',
  ]);
  expect(await control.query('SELECT partition FROM firn.partition WHERE stream = $1 ORDER BY 1', [stream.id])).toEqual(
    [{ partition: 'name=a' }, { partition: 'name=b' }],
  );
});

test('a worker that ends when nothing is due ends, too, where looks are due again before the last one is over', {
  tags: 'long',
}, async () => {
  const { run, chain, heights, control } = await heightsCluster();
  const looks = () => chain.asked.filter((path) => path === 'head').length;
  await run({ timing: { look: 0 } });
  expect([looks(), (await heights()).length]).toEqual([1, 30]);
  // What was stopped was not looked at to its end.
  await control.query(`UPDATE firn.part SET outcome = 'stopped', looked_at = now() + interval '1 hour'`);
  await run({ timing: { look: 0 } });
  expect(looks()).toBe(2);
});

test('a NUL in what a source says, which PostgreSQL does not take, keeps nothing from being read', {
  tags: 'long',
}, async () => {
  const { run, chain, heights, control, ledger } = await heightsCluster();
  const read = fetchOf(chain);
  const told: unknown[] = [];
  const fetch: Fetch = async (request, ...more) => {
    const said = await read(request, ...more);
    const named = (block: { height: number }) =>
      block.height % 5 === 4 ? { ...block, 'a\u0000b': 1, name: 'c\u0000d' } : block;
    return Array.isArray(said.body) ? { ...said, body: said.body.map(named) } : said;
  };
  await run({ fetch: { node: fetch }, finished: (_, { outcome, message }) => told.push([outcome, message]) });
  expect(told.filter((one) => String(one) !== 'done,')).toEqual([]);
  expect(await heights()).toHaveLength(30);
  expect(await control.query('SELECT member FROM firn.schema_change')).toEqual([{ member: 'a\ufffdb' }]);
  const of = { stream: heightsStream.id, partition: 'all' };
  expect(await ledger.unasked(of, ['a\u0000b'])).toEqual(['a\ufffdb']);
  const held = await ledger.leaseWhole({ ...of, owner: 'one', ms: 60_000 });
  expect(await ledger.release(held as Lease, { dueInMs: 0, problem: 'a\u0000b' })).toBe('ok');
});
