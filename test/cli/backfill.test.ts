import { readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { type Project, project, sourcesOf } from './cliHarness.ts';

vi.setConfig({ testTimeout: 400_000 });

const ledger = readLedger();
const dayMs = 86_400_000;
const dateOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);

async function network() {
  const devnet = await startDevnet({ ledger: await ledger, head: '90%' });
  onTestFinished(() => devnet.close());
  const home = (streams: object) =>
    project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } }, { isBuilt: true });
  return { devnet, home };
}

/** Raw tables in which two warehouses differ. */
async function differences(one: Project, other: Project) {
  const all = (await compareWarehouses(one.warehouse, other.warehouse)).filter(({ table }) => table.startsWith('raw.'));
  expect(all.length).toBeGreaterThan(20);
  return all.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0);
}

/** Repeats a command until no limit ends it any more; gives how often it ran. */
async function untilDone({ firn }: Project, ...args: string[]): Promise<number> {
  for (let runs = 1; runs <= 40; runs++) {
    const { code, json, err } = await firn('--json', ...args);
    expect([code, err]).toEqual([0, '']);
    if (json.stoppedBy === null) return runs;
  }
  throw new Error(`${args.join(' ')} does not end`);
}

test('what lies below a list that is read newest first joins what was read, through kills and syncs in between', {
  tags: 'long',
}, async () => {
  const { devnet, home } = await network();
  const chainIds = [String((await ledger).c.evmChainId)];
  const { firstMoment, lastMoment } = await ledger;
  const from = dateOf(firstMoment + 0.8 * (lastMoment - firstMoment));
  const streams = (bounds: object) => ({
    'data/latest_transactions': { chainIds, ...bounds },
    'data/primary_transactions': { blockchainIds: ['p-chain'], ...bounds },
  });
  const whole = await home(streams({ from }));
  const part = await home(streams({ from: '-3d' }));
  expect((await part.firn('sync')).code).toBe(0);
  const before = await part.query('SELECT count(*) AS n FROM raw.data_latest_transactions');

  const refused = await (await home(streams({}))).firn('backfill', '--from', from, '--only-read');
  expect([refused.code, refused.out]).toEqual([2, expect.stringContaining('was not read yet')]);

  const first = await part.firn('--json', 'backfill', '--from', '-6d', '--only-read', '--max-units', '400');
  expect(first.json.stoppedBy).toBe('--max-units');
  devnet.moveHead('100%');
  expect((await part.firn('sync')).code).toBe(0);
  await untilDone(part, 'backfill', '--from', '-6d', '--only-read', '--max-units', '400');
  const between = await part.query('SELECT count(*) AS n FROM raw.data_latest_transactions');
  await untilDone(part, 'backfill', 'data/*', '--from', from, '--only-read');
  expect((await whole.firn('sync')).code).toBe(0);
  // Whether an output was spent depends on when it was read: the later warehouse has the same rows, only newer.
  const spent = (table: string) => /_utxos"?$/.test(table);
  const unequal = await differences(part, whole);
  expect(unequal.filter(({ table, onlyFirst, onlySecond }) => !spent(table) || onlyFirst !== onlySecond)).toEqual([]);
  const after = await part.query('SELECT count(*) AS n FROM raw.data_latest_transactions');
  const counts = [before, between, after].map(([row]) => Number(row?.['n']));
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(new Set(counts).size).toBe(3);

  // Nothing is left beside the checkpoints, and a backfill of what is there changes nothing.
  expect(await part.query(`SELECT "partition" FROM firn.checkpoint WHERE "partition" LIKE '%|%'`)).toEqual([]);
  const loads = 'SELECT sum(rows_written)::BIGINT AS n FROM firn.load';
  // Nor is what is new said to be read by it.
  const readAt = 'SELECT stream, updated_at FROM firn.checkpoint ORDER BY ALL';
  const written = [await part.query(loads), await part.query(readAt)];
  await untilDone(part, 'backfill', '--from', from, '--only-read');
  expect([await part.query(loads), await part.query(readAt)]).toEqual(written);
});

test('what lies below blocks, indexes by position, histories of addresses and metrics is read too', {
  tags: 'long',
}, async () => {
  const { home } = await network();
  const { c, lastMoment } = await ledger;
  const chainIds = [String(c.evmChainId)];
  const plain = await home({ 'data/latest_transactions': { chainIds } });
  await plain.firn('sync');
  const accounts = await plain.query<{ a: string }>(
    'SELECT from_address AS a FROM raw.data_latest_transactions GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 2',
  );
  const addresses = accounts.map(({ a }) => a);
  const low = dateOf(lastMoment - 14 * dayMs);
  const high = dateOf(lastMoment - 11 * dayMs);
  const streams = (from: string) => ({
    'node/evm_blocks': { blockchainIds: ['C'], from, traces: false },
    'node/platform_blocks': { from },
    'metrics/chain_metrics': { chainIds, metrics: ['txCount', 'avgTps'], from },
    'data/address_transactions': { chainIds, addresses, from },
    'data/address_erc721_transfers': { chainIds, addresses, from },
    'data/address_internal_transactions': { chainIds, addresses, from },
  });
  const whole = await home(streams(low));
  expect((await whole.firn('sync')).code).toBe(0);
  const part = await home(streams(high));
  expect((await part.firn('sync')).code).toBe(0);
  expect((await differences(part, whole)).length).toBeGreaterThan(5);
  await part.firn('backfill', '--from', low, '--only-read', '--max-units', '400');
  await untilDone(part, 'backfill', '--from', low, '--only-read');
  expect(await differences(part, whole)).toEqual([]);
});

test('a day is read again: what was harmed is as it was, and its buckets are recomputed', {
  tags: 'long',
}, async () => {
  const { home } = await network();
  const { c, lastMoment, firstMoment } = await ledger;
  const chainIds = [String(c.evmChainId)];
  const middle = firstMoment + 0.9 * (lastMoment - firstMoment) - 2 * dayMs;
  const day = dateOf(middle);
  const { firn, query, open } = await home({
    'node/evm_blocks': { blockchainIds: ['C'], from: dateOf(middle - dayMs) },
    'metrics/chain_metrics': { chainIds, metrics: ['txCount', 'gasUsed'], from: dateOf(middle - dayMs) },
    'data/latest_transactions': { chainIds, from: '-4d' },
    'data/chains': {},
  });
  expect((await firn('run')).code).toBe(0);
  const inDay = `BETWEEN TIMESTAMP '${day}' AND TIMESTAMP '${day}' + INTERVAL 1 DAY - INTERVAL 1 SECOND`;
  const metrics = `SELECT metric, time_interval, bucket, numerator, denominator, covered FROM mart.metric ORDER BY ALL`;
  const rows = `SELECT (SELECT sum(hash(t)) FROM (SELECT * EXCLUDE (_load_id) FROM raw.node_evm_transactions) AS t)::VARCHAR AS tx,
    (SELECT sum(hash(b)) FROM (SELECT * EXCLUDE (_load_id) FROM raw.node_evm_blocks) AS b)::VARCHAR AS blocks,
    (SELECT sum(hash(l)) FROM (SELECT * EXCLUDE (_load_id) FROM raw.data_latest_transactions) AS l)::VARCHAR AS latest,
    (SELECT sum(hash(m)) FROM (SELECT * EXCLUDE (_load_id) FROM raw.metrics_chain_metrics) AS m)::VARCHAR AS metrics`;
  const [metricsBefore, rowsBefore] = [await query(metrics), await query(rows)];
  const [{ load } = { load: 0n }] = await query<{ load: bigint }>('SELECT max(load_id) AS load FROM firn.load');

  const state = await open();
  await state.run(`UPDATE raw.node_evm_blocks SET gas_used = gas_used + 1 WHERE "timestamp" ${inDay}`);
  await state.run(
    `DELETE FROM raw.node_evm_transactions WHERE "number" IN (SELECT "number" FROM raw.node_evm_blocks WHERE "timestamp" ${inDay})`,
  );
  await state.run(`DELETE FROM raw.data_latest_transactions WHERE block_timestamp ${inDay}`);
  await state.run(`UPDATE raw.metrics_chain_metrics SET value_text = '7' WHERE "timestamp" ${inDay}`);
  state.close();
  expect(await query(rows)).not.toEqual(rowsBefore);

  const again = await firn('--json', 'backfill', '--again', day);
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.json.published.version).toBe(2);
  expect(await query(rows)).toEqual(rowsBefore);
  expect(await query(metrics)).toEqual(metricsBefore);
  const touched = await query(
    `SELECT min("timestamp") >= TIMESTAMP '${day}' AND max("timestamp") < TIMESTAMP '${day}' + INTERVAL 1 DAY AS only_day, count(*) > 0 AS some
     FROM raw.node_evm_blocks WHERE _load_id > ${load}`,
  );
  expect(touched).toEqual([{ only_day: true, some: true }]);

  // Even where nothing was harmed, the day's buckets are recomputed.
  const calm = await firn('--json', 'backfill', 'node/evm_blocks', '--again', `${day}..${day}`, '--only-read');
  expect(calm.json.partitions).toMatchObject([{ outcome: 'done' }]);
  expect(calm.json.partitions[0].rows).toBeGreaterThan(0);

  const byGlob = await firn('--json', 'backfill', 'data/*', '--again', day, '--only-read');
  expect([byGlob.code, byGlob.err]).toEqual([0, expect.stringContaining('Left out: data/chains: read whole')]);
  expect(byGlob.json.partitions).toMatchObject([{ stream: 'data/latest_transactions', outcome: 'done' }]);

  // A height says nothing of metrics, which nobody named.
  const height = await firn('--json', 'backfill', '--from', '1000000', '--only-read');
  expect([height.code, height.err]).toEqual([0, expect.stringContaining('Left out: metrics/chain_metrics: there are')]);
  expect(height.json.partitions.map(({ stream }: { stream: string }) => stream).sort()).toEqual([
    'data/latest_transactions',
    'node/evm_blocks',
  ]);

  const early = await firn('backfill', 'node/evm_blocks', '--again', dateOf(firstMoment), '--only-read');
  expect([early.code, early.out]).toEqual([
    2,
    expect.stringMatching(/^node\/evm_blocks \(\S+\): It was read from .* cannot be read again/m),
  ]);
});

test('days of each index are read again by its own positions', { tags: 'long' }, async () => {
  const { home } = await network();
  const indexes = ['C/block', 'P/block', 'X/block'];
  const warehouse = await home({ 'node/containers': { indexes, decode: false } });
  const { firn, query, open } = warehouse;
  expect((await firn('sync')).code).toBe(0);
  const { firstMoment, lastMoment } = await ledger;
  const first = dateOf((firstMoment + lastMoment) / 2);
  const last = dateOf(Date.parse(first) + dayMs);
  const rows = `SELECT index_name, count(*)::INTEGER AS n, min("index")::INTEGER AS "first" FROM raw.node_containers
    WHERE "timestamp" >= '${first}' AND "timestamp" < TIMESTAMP '${last}' + INTERVAL 1 DAY GROUP BY ALL ORDER BY ALL`;
  const before = await query(rows);
  expect(before.map((row) => row['index_name'])).toEqual(indexes);

  const state = await open();
  await state.run(`DELETE FROM raw.node_containers WHERE "timestamp" >= '${first}' AND "timestamp" < '${last}'`);
  state.close();
  // One partition at a time: each could take the heights that the one before has found.
  await untilDone(warehouse, 'backfill', '--again', `${first}..${last}`, '--only-read', '--max-units', '100000');
  expect(await query(rows)).toEqual(before);
  expect(await query('SELECT chain FROM firn.date_height GROUP BY ALL ORDER BY ALL')).toEqual(
    indexes.map((name) => ({ chain: `node/containers ${name}` })),
  );
});

test('a day of every history by address or token is read again, whether its list takes an order or not', {
  tags: 'long',
}, async () => {
  const { home } = await network();
  const { firstMoment, lastMoment } = await ledger;
  const day = dateOf(firstMoment + 0.5 * (lastMoment - firstMoment));
  const of = { chainIds: ['43112'], addresses: ['0x36e6a79db52a0126f5814e37f13fa088be775284'] };
  const tokens = { ...of, addresses: ['0x7b4982e1f7ee384f206417fb851a1eb143c513f9'] };
  const histories = ['address_transactions', 'address_erc721_transfers', 'address_internal_transactions'];
  const { firn, query, open } = await home({
    ...Object.fromEntries(histories.map((name) => [`data/${name}`, of])),
    'data/token_transfers': tokens,
  });
  expect((await firn('sync')).code).toBe(0);
  const count = `SELECT ${[...histories, 'token_transfers'].map((name) => `(SELECT count(*)::INTEGER FROM raw.data_${name}) AS ${name}`)}`;
  const before = await query(count);
  const state = await open();
  for (const name of [...histories, 'token_transfers'])
    await state.run(`DELETE FROM raw.data_${name} WHERE block_timestamp::DATE = '${day}'`);
  state.close();
  expect(await query(count)).not.toEqual(before);
  const again = await firn('backfill', '--again', day, '--only-read');
  expect([again.code, again.out]).toEqual([0, expect.any(String)]);
  expect(await query(count)).toEqual(before);
});

test('histories that begin at a date to come have no hole above what a backfill read', { tags: 'long' }, async () => {
  const { devnet, home } = await network();
  const { firstMoment, lastMoment } = await ledger;
  const of = { chainIds: ['43112'], addresses: ['0x36e6a79db52a0126f5814e37f13fa088be775284'] };
  const histories = ['address_transactions', 'address_erc721_transfers', 'address_internal_transactions'];
  const streams = (from: string) => ({
    ...Object.fromEntries(histories.map((name) => [`data/${name}`, { ...of, from }])),
    'data/token_transfers': { ...of, addresses: ['0x7b4982e1f7ee384f206417fb851a1eb143c513f9'], from },
    'data/primary_transactions': {
      blockchainIds: ['p-chain'],
      addresses: ['P-local1a86yl9d4jf4n87z6p78prz8neppcgcrrtfp9tv'],
      from,
    },
    'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], from },
  });
  const low = dateOf(firstMoment + 0.1 * (lastMoment - firstMoment));
  const part = await home(streams(dateOf(firstMoment + 0.8 * (lastMoment - firstMoment))));
  devnet.moveHead('40%');
  expect((await part.firn('sync')).code).toBe(0);
  await untilDone(part, 'backfill', '--from', low, '--only-read');
  for (const head of ['60%', '100%'] as const) {
    devnet.moveHead(head);
    expect((await part.firn('sync')).code).toBe(0);
  }
  const whole = await home(streams(low));
  expect((await whole.firn('sync')).code).toBe(0);
  // The bucket that was open at a head of 40 % has been served with another value, and outputs were spent since.
  const isOfThen = ({ table }: { table: string }) => /_revisions"?$|_utxos"?$/.test(table);
  const unequal = await differences(part, whole);
  expect(unequal.filter((one) => !isOfThen(one) || one.onlySecond > one.onlyFirst)).toEqual([]);
});

test('says what it cannot do', async () => {
  const { home } = await network();
  const { firn } = await home({
    'data/chains': {},
    'data/latest_transactions': { chainIds: ['1'] },
    'metrics/chain_metrics': { chainIds: ['1'] },
  });
  const wrong: readonly [string[], string][] = [
    [[], 'Say either'],
    [['--from', '-1d', '--again', '2026-01-01'], 'Say either'],
    [['--again', '2026-02-30'], 'is not a day'],
    [['--again', '2026-03-02..2026-03-01'], 'Write 2026-03-01..2026-03-02.'],
    [['--from', 'yesterday'], 'neither a height'],
    [['data/chains', '--from', '0'], 'read whole at every run'],
    [['metrics/*', '--from', '0'], 'no heights in it. Ask for it by a date'],
    [['node/*', '--from', '0'], 'Nothing matches'],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await firn('backfill', ...args);
    expect([args, code, err]).toEqual([args, 2, expect.stringContaining(message)]);
  }
});

test('what is to begin earlier than it was read from says so, until that is read', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ ledger: await ledger, head: '90%' });
  onTestFinished(() => devnet.close());
  const chainIds = [String((await ledger).c.evmChainId)];
  const addresses = ['11', '22'].map((byte) => `0x${byte.repeat(20)}`);
  const configuration = (age: string, from: string, ofAddresses: string | number = from) => ({
    sources: sourcesOf(devnet),
    pipelines: {
      main: {
        streams: {
          'data/latest_transactions': { chainIds, from: age },
          'metrics/chain_metrics': { chainIds, metrics: ['txCount'], timeIntervals: ['day'], from },
          'data/address_transactions': { chainIds, addresses, from: ofAddresses },
          'node/evm_blocks': { blockchainIds: ['C'], from, traces: false },
        },
      },
    },
  });
  const { firn, configure, query } = await project(configuration('-1d', '2026-02-20'), { isBuilt: true });
  const told = async (command: string) => {
    const { out } = await firn(command);
    return [...new Set(out.match(/firn backfill [^"]+/g))].sort();
  };
  await firn('sync');
  expect(await told('plan')).toEqual([]);
  await configure(configuration('-12h', '2026-02-21'));
  expect(await told('sync')).toEqual([]);
  await configure(configuration('-2d', '2026-02-10'));
  const commands = [
    'firn backfill data/address_transactions --from 2026-02-10',
    'firn backfill data/latest_transactions --from -2d',
    'firn backfill metrics/chain_metrics --from 2026-02-10',
    'firn backfill node/evm_blocks --from 2026-02-10',
  ];
  for (const command of ['plan', 'doctor', 'sync', 'sync']) expect(await told(command), command).toEqual(commands);
  await firn('backfill', '--from', '2026-02-10', '--only-read');
  // It may have been told to begin by an age, and to read further down by a date.
  for (const command of ['sync', 'plan', 'doctor']) expect(await told(command), command).toEqual([]);
  await firn('backfill', 'data/latest_transactions', '--from', '-2d', '--only-read');
  expect(await query('SELECT stream, "from" FROM firn.begun GROUP BY ALL ORDER BY ALL')).toEqual([
    { stream: 'data/address_transactions', from: '2026-02-10' },
    { stream: 'data/latest_transactions', from: '2026-02-10' },
    { stream: 'metrics/chain_metrics', from: '2026-02-10' },
    { stream: 'node/evm_blocks', from: '2026-02-10' },
  ]);
  // A height and a date cannot be compared: what is noted is what is configured, once that was read.
  const histories = async (bound: string) => {
    await firn('backfill', 'data/address_transactions', '--from', bound, '--only-read');
    return query(`SELECT DISTINCT "from" FROM firn.begun WHERE stream = 'data/address_transactions'`);
  };
  expect(await histories('100')).toEqual([{ from: '2026-02-10' }]);
  await configure(configuration('-2d', '2026-02-10', 100));
  expect(await told('plan')).toEqual(['firn backfill data/address_transactions --from 100']);
  expect(await histories('100')).toEqual([{ from: '100' }]);
  expect(await told('plan')).toEqual([]);
});

test('a backfill is called one, in its log and by the status', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ ledger: await ledger, head: '2%' });
  onTestFinished(() => devnet.close());
  const streams = { 'node/platform_blocks': { from: 5 } };
  const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } }, { isBuilt: true });
  const backfill = ['backfill', '--from', '0', '--only-read'];
  expect((await firn('--quiet', ...backfill)).out).toMatch(/ firn backfill exit=2 /);
  expect((await firn('sync')).code).toBe(0);
  expect((await firn('--json', ...backfill)).json).toMatchObject({ command: 'backfill', exitCode: 0 });
  expect((await firn('--json', 'status')).json.runs.map(({ command }: { command: string }) => command)).toEqual([
    'backfill',
    'sync',
    'backfill',
  ]);
});
