import { readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { utxos } from '../../../pipelines/data-api/utxos.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import { adoptPartitions } from '../../../src/load/adopt/adoptPartitions.ts';
import { project } from '../../cli/cliHarness.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

interface Utxo {
  readonly utxo_id: string;
  readonly addresses: readonly string[];
}

test('a list of addresses that changes leaves no row twice, and none that is gone', { tags: 'long' }, async () => {
  const ledger = await readLedger();
  const devnet = await startDevnet({ ledger, head: '6%' });
  onTestFinished(() => devnet.close());
  const path = '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100';
  const { transactions } = (await (await fetch(devnet.url + path)).json()) as {
    transactions: { emittedUtxos: { addresses: string[] }[] }[];
  };
  const owners = [...new Set(transactions.flatMap((tx) => tx.emittedUtxos.flatMap(({ addresses }) => addresses)))];
  const configuration = (...lists: string[][]) => ({
    sources: { data: { url: devnet.url, network: 'fuji' } },
    pipelines: Object.fromEntries(
      lists.map((addresses, i) => [`p${i}`, { streams: { 'data/utxos': { blockchainIds: ['p-chain'], addresses } } }]),
    ),
  });
  const current = 'SELECT utxo_id, addresses FROM raw.data_utxos WHERE _valid_to IS NULL ORDER BY utxo_id';
  const fresh = async (...lists: string[][]) => {
    const { firn, query } = await project(configuration(...lists));
    expect((await firn('sync')).code).toBe(0);
    return query<Utxo>(current);
  };

  const { firn, query, configure } = await project(configuration(owners.slice(0, 2)));
  expect((await firn('sync')).code).toBe(0);
  const [{ began } = { began: '' }] = await query<{ began: string }>(
    'SELECT max(_valid_from)::VARCHAR AS began FROM raw.data_utxos',
  );

  // One address more, while some outputs are spent.
  devnet.moveHead('9%');
  await configure(configuration(owners.slice(0, 3)));
  expect((await firn('sync')).code).toBe(0);
  expect(await query(current)).toEqual(await fresh(owners.slice(0, 3)));
  const stayed = await query(
    `SELECT utxo_id FROM raw.data_utxos WHERE _valid_to IS NULL AND _valid_from <= '${began}'::TIMESTAMP`,
  );
  expect(stayed.length).toBeGreaterThan(0);

  // One address less, and the checkpoint forgotten: its rows are not current any more.
  expect((await firn('state', 'reset', 'data/utxos')).code).toBe(0);
  await configure(configuration(owners.slice(1, 3)));
  expect((await firn('sync')).code).toBe(0);
  expect(await query(current)).toEqual(await fresh(owners.slice(1, 3)));

  // Lists that are both configured stay apart, also where one of them alone is read.
  const one = owners.slice(1, 3);
  await configure(configuration(one, owners.slice(3, 4)));
  expect((await firn('sync', '--pipeline', 'p1')).code).toBe(0);
  expect((await firn('sync')).code).toBe(0);
  const both = await fresh(one, owners.slice(3, 4));
  expect(await query(current)).toEqual(both);
  expect(await query(`SELECT count(*)::INTEGER AS n FROM firn.checkpoint WHERE stream = 'data/utxos'`)).toEqual([
    { n: 2 },
  ]);
});

test('a list of nodes that changes leaves none of their validators current twice', async () => {
  const devnet = await startDevnet({ head: '6%' });
  onTestFinished(() => devnet.close());
  const configuration = (...nodeIds: string[]) => ({
    sources: { node: { url: devnet.url } },
    pipelines: { main: { streams: { 'node/platform_validators': { nodeIds, delegators: false } } } },
  });
  const all = await project({
    ...configuration(),
    pipelines: { main: { streams: { 'node/platform_validators': { delegators: false } } } },
  });
  expect((await all.firn('sync')).code).toBe(0);
  const nodes = await all.query<{ id: string }>(
    'SELECT DISTINCT node_id AS id FROM raw.node_platform_validators ORDER BY 1',
  );
  const [first = '', second = ''] = nodes.map(({ id }) => id);
  const { firn, query, configure } = await project(configuration(first));
  expect((await firn('sync')).code).toBe(0);
  await configure(configuration(first, second));
  expect((await firn('sync')).code).toBe(0);
  const current = 'SELECT node_id AS id FROM raw.node_platform_validators WHERE _valid_to IS NULL ORDER BY 1';
  expect(await query(current)).toEqual([{ id: first }, { id: second }]);
});

test('validators go on where their delegators are not read any more, or again', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '60%' });
  onTestFinished(() => devnet.close());
  const configuration = (delegators: boolean) => ({
    sources: { node: { url: devnet.url } },
    pipelines: { main: { streams: { 'node/platform_validators': { delegators } } } },
  });
  const { firn, query, configure } = await project(configuration(true));
  const counts = async () => {
    expect((await firn('sync')).code).toBe(0);
    const current = (name: string) =>
      `SELECT count(*)::INTEGER AS n, min(_valid_from) AS began FROM raw.node_platform_${name} WHERE _valid_to IS NULL`;
    return query(`${current('validators')} UNION ALL ${current('delegators')}`);
  };
  const [validators, delegators] = await counts();
  expect(delegators?.['n']).toBeGreaterThan(0);
  await configure(configuration(false));
  expect(await counts()).toEqual([validators, { n: 0, began: null }]);
  await configure(configuration(true));
  expect(await counts()).toMatchObject([validators, { n: delegators?.['n'] }]);
});

const listed = (addresses: string, chain = 'p'): Partition => ({
  values: { chain },
  filters: { addresses },
  lists: ['addresses'],
});

const extra = { ...listed('b'), extras: ['more'] };

// Which lists were read before, which are configured, and which partitions then have what was read.
test.each<[string, Partition[], Partition[], Partition[]]>([
  ['one list goes on as one other', [listed('a')], [listed('b')], [listed('b')]],
  ['that two pipelines name, too', [listed('a')], [listed('b'), listed('b')], [listed('b')]],
  ['on another chain it does not', [listed('a')], [listed('b', 'x')], [listed('a')]],
  ['of two that were read neither', [listed('a'), listed('b')], [listed('c')], [listed('a'), listed('b')]],
  ['nor for two that are new', [listed('a')], [listed('b'), listed('c')], [listed('a')]],
  [
    'one that is configured still stays',
    [listed('a'), listed('b')],
    [listed('a'), listed('c')],
    [listed('a'), listed('c')],
  ],
  [
    'extras that are left out are the same',
    [{ ...listed('a'), filters: { addresses: 'a', more: true } }],
    [extra],
    [extra],
  ],
  ['one without them is not like all', [{ values: { chain: 'p' } }], [listed('a')], [{ values: { chain: 'p' } }]],
])('of lists: %s', async (_, read, configured, then) => {
  const warehouse = await temporaryWarehouse([utxos.table]);
  for (const partition of read)
    await warehouse.run("INSERT INTO firn.checkpoint VALUES ('data/utxos', $1, '{}', 1, TIMESTAMP '2026-01-01')", [
      partitionKey(partition),
    ]);
  await adoptPartitions(warehouse, utxos, configured);
  const rows = await warehouse.query<{ partition: string }>('SELECT "partition" FROM firn.checkpoint ORDER BY 1');
  expect(rows.map(({ partition }) => partition)).toEqual(then.map(partitionKey));
});
