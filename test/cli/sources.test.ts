import { createServer } from 'node:http';
import { type Devnet, type DevnetOptions, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../listening.ts';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { some } from '../some.ts';
import { withoutWaiting } from '../withoutWaiting.ts';
import { atOneAddress } from './atOneAddress.ts';
import { type Workspace, workspace } from './workspace.ts';

withoutWaiting();

const containers = { 'node/containers': { indexes: ['C/block', 'P/block'] } };
const blocks = { 'node/evm_blocks': { blockchainIds: ['C'] } };
const latest = { 'data/latest_transactions': { chainIds: ['43112'] } };
const metrics = {
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-20' },
};
const all = { ...containers, ...blocks, ...latest, ...metrics };

const running: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const server of running) await server.close();
});

/** A network that ends after a few days. */
async function devnetOf(options: DevnetOptions = {}): Promise<Devnet> {
  const devnet = await startDevnet({ head: '5%', ...options });
  running.push(devnet);
  return devnet;
}

const rows = (of: Workspace, table: string) =>
  of.state(`SELECT count(*) AS n FROM raw.${table}`).then(([row]) => Number(row?.['n']));

let plain: Devnet;
beforeAll(async () => {
  plain = await devnetOf();
});

describe('a source that does not answer', () => {
  test('a node that is down: 75 with its address; the other sources are read', { tags: 'long' }, async () => {
    const of = await workspace({
      ...atOneAddress(plain.url, all),
      sources: {
        node: { url: 'http://127.0.0.1:1' },
        data: { url: plain.url, network: 'fuji' },
        metrics: { url: plain.url },
      },
    });
    const { code, stdout, stderr } = await of.firn('sync');
    expect(code).toBe(75);
    for (const text of [stdout, stderr]) {
      expect(text).toMatch(
        /node\/containers .*http:\/\/127\.0\.0\.1:1 could not be reached: nothing answers.*Check that the URL/,
      );
    }
    expect(await rows(of, 'data_latest_transactions')).toBeGreaterThan(0);
    expect(await rows(of, 'metrics_chain_metrics')).toBeGreaterThan(0);
    // The node comes back: the next run reads it, and pins the network.
    await of.configure(atOneAddress(plain.url, all));
    expect((await of.firn('sync')).code).toBe(0);
    expect(await rows(of, 'node_evm_blocks')).toBeGreaterThan(0);
    expect(await of.state('SELECT network_id FROM firn.network')).toEqual([{ network_id: 12345 }]);
  });

  test('a data service that is down: 75; the node is read', { tags: 'long' }, async () => {
    const of = await workspace({
      ...atOneAddress(plain.url, all),
      sources: {
        node: { url: plain.url },
        data: { url: 'http://127.0.0.1:1', network: 'fuji' },
        metrics: { url: plain.url },
      },
    });
    const { code, stdout } = await of.firn('sync');
    expect(code).toBe(75);
    expect(stdout).toMatch(
      /data\/latest_transactions \(chain_id=43112\): http:\/\/127\.0\.0\.1:1 could not be reached: nothing answers/,
    );
    expect(await rows(of, 'node_evm_blocks')).toBeGreaterThan(0);
  });

  test.each([
    ['HTML', 'html', 4, /answered 200 with HTML instead of JSON: "502 Bad Gateway".*Check the URL/],
    ['nothing', 'emptyBody', 4, /answered 200 with nothing.*Check the URL/],
    ['an error', 'errorBody', 75, /answered 200, but the body is an error of status 500.*Run again later/],
  ] as const)(
    'a 200 that holds %s: every partition fails, says so, and is read when it is over',
    { tags: 'long' },
    async (_, fault, exit, sentence) => {
      const devnet = await devnetOf({ faults: { [fault]: 1 } });
      const of = await workspace(atOneAddress(devnet.url, { ...latest, ...metrics }));
      const { code, stdout } = await of.firn('sync');
      expect(code).toBe(exit);
      expect(stdout.match(new RegExp(sentence, 'g'))).toHaveLength(2);
      expect(await rows(of, 'data_latest_transactions')).toBe(0);
      devnet.setFaults({});
      expect((await of.firn('sync')).code).toBe(0);
      expect(await rows(of, 'data_latest_transactions')).toBeGreaterThan(0);
    },
  );
});

describe('a source that lacks something', () => {
  test('a node without the index: not offered, and no failure', { tags: 'long' }, async () => {
    const devnet = await devnetOf({ without: ['index'] });
    const of = await workspace(atOneAddress(devnet.url, { ...containers, ...blocks }));
    const { code, stdout, stderr } = await of.firn('sync');
    expect(code).toBe(0);
    expect(stdout).toMatch(/node\/containers +2 +0 +0 +2 +0 +not offered/);
    expect(stdout).toMatch(
      /node\/containers \(index_name=C\/block\): .*\/ext\/index\/C\/block.* 404.*enable it in the node/,
    );
    expect(stderr).toBe('');
    expect(await rows(of, 'node_evm_blocks')).toBeGreaterThan(0);
    // Switched on later, it is read from its beginning.
    devnet.configure({ without: [] });
    expect((await of.firn('sync')).code).toBe(0);
    expect(await rows(of, 'node_containers')).toBeGreaterThan(0);
  });

  test('a node without traces: said, and only contracts and deployers are not covered', { tags: 'long' }, async () => {
    const devnet = await devnetOf({ without: ['traces'] });
    const of = await workspace(atOneAddress(devnet.url, { ...blocks, ...metrics }), { isBuilt: true });
    const synced = await of.firn('sync');
    expect(synced.code).toBe(0);
    expect(synced.stdout).toMatch(/node\/evm_blocks \(chain_id=43112\): .*traces/);
    expect((await of.firn('build')).code).toBe(0);
    const uncovered = await of.state(
      "SELECT DISTINCT metric FROM mart.metric WHERE NOT covered AND chain_id = '43112' ORDER BY metric",
    );
    expect(uncovered.map(({ metric }) => metric)).toEqual([
      'contracts',
      'cumulativeContracts',
      'cumulativeDeployers',
      'deployers',
    ]);
    expect(
      await of.state(
        "SELECT count(*)::INTEGER AS n FROM mart.metric WHERE metric = 'contracts' AND numerator IS NOT NULL",
      ),
    ).toEqual([{ n: 0 }]);
  });

  test('a chain that the node does not have fails alone', { tags: 'long' }, async () => {
    const of = await workspace(
      atOneAddress(plain.url, { ...containers, 'node/evm_blocks': { blockchainIds: ['NoSuchChain'] } }),
    );
    const { code, stdout } = await of.firn('sync');
    expect(code).toBeGreaterThan(0);
    expect(stdout).toMatch(/node\/evm_blocks \(blockchain_id=NoSuchChain\): .*knows no EVM chain "NoSuchChain"/);
    expect(await rows(of, 'node_containers')).toBeGreaterThan(0);
  });
});

describe('a source that refuses', () => {
  const key = 'wrong-key-41f2c8';

  test('a wrong key: 77, and the key is in no output, log or file', { tags: 'long' }, async () => {
    const devnet = await devnetOf({ key: 'the-right-key-77ab' });
    const of = await workspace({
      ...atOneAddress(devnet.url, { ...containers, ...latest }),
      sources: {
        node: { url: devnet.url },
        data: { url: devnet.url, network: 'fuji', key: '$' + '{env:FIRN_TEST_KEY}' },
      },
    });
    vi.stubEnv('FIRN_TEST_KEY', key).stubEnv('FIRN_LOG_LEVEL', 'trace');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, stdout, stderr } = await of.firn('sync');
    expect(code).toBe(77);
    expect(stdout).toMatch(/data\/latest_transactions .*answered 401 Unauthorized.*Check the key and keyHeader/);
    expect(await rows(of, 'node_containers')).toBeGreaterThan(0);
    const planned = await of.firn('--json', 'plan');
    expect(planned.code).toBe(77);
    for (const text of [stdout, stderr, planned.stdout, planned.stderr]) expect(text).not.toContain(key);
    const kept = await of.state('SELECT summary FROM firn.run');
    const loads = await of.state('SELECT request FROM firn.load');
    expect(JSON.stringify([kept, loads])).not.toContain(key);
  });

  test('a key that the server throws back in its error is hidden', { tags: 'long' }, async () => {
    const server = createServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: `the key ${key} may not do that`, statusCode: 403 }));
    });
    const { url, close } = await listening(server);
    running.push({ close });
    const of = await workspace({
      sources: { data: { url, network: 'fuji', key } },
      pipelines: { main: { streams: latest } },
    });
    const { code, stdout, stderr } = await of.firn('--verbose', 'sync');
    expect(code).toBe(77);
    expect(stdout).toMatch(/answered 403 Forbidden: "the key \*\*\* may not do that"/);
    for (const text of [stdout, stderr]) expect(text).not.toContain(key);
  });

  test('the own daily quota is used up: 75 says until when, and it holds across runs', { tags: 'long' }, async () => {
    const of = await workspace({
      ...atOneAddress(plain.url, { ...containers, ...latest }),
      sources: { node: { url: plain.url }, data: { url: plain.url, network: 'fuji', quota: { perDay: 30 } } },
    });
    for (const run of [1, 2]) {
      const { code, stdout } = await of.firn('sync');
      expect(code, `run ${run}`).toBe(75);
      expect(stdout).toMatch(/daily quota of 30 compute units.*is used up.*00:00 UTC, or raise quota\.perDay/);
    }
    expect(await rows(of, 'node_containers')).toBeGreaterThan(0);
    expect(await of.state("SELECT units::INTEGER AS units FROM firn.quota WHERE source = 'data'")).toEqual([
      { units: 20 },
    ]);
  });
});

describe('a source that is wrong', () => {
  test('a range with a hole: 4; what lies before is kept; the next run completes', { tags: 'long' }, async () => {
    const devnet = await devnetOf({ faults: { hole: 1 } });
    const of = await workspace(atOneAddress(devnet.url, containers));
    const { code, stdout } = await of.firn('sync');
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /node\/containers \(index_name=C\/block\): .*has a hole at index \d+.*What lies before it is kept/,
    );
    const before = await of.state(
      `SELECT "partition" AS index_name, ("position"->>'next')::INTEGER AS next,
         (SELECT count(*)::INTEGER FROM raw.node_containers AS c WHERE 'index_name=' || c.index_name = "partition") AS n
       FROM firn.checkpoint WHERE stream = 'node/containers'`,
    );
    for (const { n, next } of some(before)) expect(n).toBe(next);
    devnet.setFaults({});
    expect((await of.firn('sync')).code).toBe(0);
    const whole = await of.state(
      'SELECT index_name, count(*)::INTEGER AS n, max("index")::INTEGER + 1 AS next FROM raw.node_containers GROUP BY index_name',
    );
    expect(whole).toHaveLength(2);
    for (const { n, next } of some(whole)) expect(n).toBe(next);
  });

  test('a wrong checksum: 4, the record is in quarantine with the reason; once right, it is read', {
    tags: 'long',
  }, async () => {
    const devnet = await devnetOf({ faults: { checksum: 1 } });
    const of = await workspace(atOneAddress(devnet.url, containers));
    const { code, stdout } = await of.firn('sync');
    expect(code).toBe(4);
    expect(stdout).toMatch(/2 records could not be read and are in quarantine: "firn quarantine" lists them/);
    const { records: listed } = JSON.parse((await of.firn('--json', 'quarantine')).stdout);
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({
      stream: 'node/containers',
      reason: expect.stringMatching(/^bytes: Checksum 0x/),
    });
    const replayed = await of.firn('quarantine', 'replay');
    expect(replayed.code).toBe(4);
    expect(replayed.stdout).toMatch(/node\/containers +index_name=C\/block +1 +0/);
    devnet.setFaults({});
    expect((await of.firn('sync')).code).toBe(0);
    expect(JSON.parse((await of.firn('--json', 'quarantine')).stdout)).toEqual({ records: [], more: false });
    const whole = await of.state(
      'SELECT count(*)::INTEGER AS n, max("index")::INTEGER + 1 AS next FROM raw.node_containers GROUP BY index_name',
    );
    for (const { n, next } of some(whole)) expect(n).toBe(next);
  });

  test('a node that is behind what was read from it is asked again later, and nothing is changed', {
    tags: 'long',
  }, async () => {
    const devnet = await devnetOf();
    const of = await workspace(atOneAddress(devnet.url, { ...containers, ...blocks }));
    expect((await of.firn('sync')).code).toBe(0);
    const before = [await rows(of, 'node_containers'), await rows(of, 'node_evm_blocks')];
    devnet.moveHead('2%');
    const { code, stdout } = await of.firn('sync');
    expect(code).toBe(75);
    for (const name of [/node\/containers \(index_name=P\/block\)/, /node\/evm_blocks \(chain_id=43112\)/]) {
      expect(stdout).toMatch(
        new RegExp(
          `${name.source}: the source ends at \\d+, but \\d+ was read from it before. As far as it goes it is the same`,
        ),
      );
    }
    expect([await rows(of, 'node_containers'), await rows(of, 'node_evm_blocks')]).toEqual(before);
    devnet.moveHead('6%');
    expect((await of.firn('sync')).code).toBe(0);
  });

  test('another network behind the same URL: 2, and nothing is read', { tags: 'long' }, async () => {
    const proxy = await startProxy(plain.url, async ({ method, params }) =>
      method === 'eth_getBlockByNumber' && (params as unknown[])[0] === '0x0'
        ? { result: { hash: `0x${'ab'.repeat(32)}` } }
        : undefined,
    );
    const of = await workspace(atOneAddress(plain.url, blocks));
    expect((await of.firn('sync')).code).toBe(0);
    const before = await rows(of, 'node_evm_blocks');
    await of.configure(atOneAddress(proxy.url, { ...containers, ...blocks }));
    const { code, stderr } = await of.firn('sync');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /The warehouse holds C-Chain with genesis 0x\w+, the node has 0x(ab)+\. Nothing was read\. Point the source back/,
    );
    expect(await rows(of, 'node_evm_blocks')).toBe(before);
    expect(await rows(of, 'node_containers')).toBe(0);
  });

  test('a configuration that asks for another network than the warehouse holds: 2', async () => {
    const of = await workspace(atOneAddress(plain.url, latest));
    expect((await of.firn('sync')).code).toBe(0);
    await of.configure({
      sources: { node: { url: plain.url }, data: { url: plain.url, network: 'mainnet' } },
      pipelines: { main: { streams: latest } },
    });
    const { code, stderr } = await of.firn('sync');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /The warehouse holds local \(network 12345\), served as fuji, the configuration asks the data service for mainnet/,
    );
  });

  test('a node of one public network where the services are asked for another, as by default: 2, also at first', async () => {
    const proxy = await startProxy(plain.url, async ({ method }) =>
      method === 'info.getNetworkID' ? { result: { networkID: '5' } } : undefined,
    );
    const of = await workspace({
      sources: { node: { url: proxy.url }, data: { url: plain.url } },
      pipelines: { main: { streams: latest } },
    });
    const { code, stderr } = await of.firn('sync');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /The node is of fuji, the configuration asks the data service for mainnet\. Nothing was read\. Set "network: fuji" there/,
    );
    expect(await of.state('SELECT 1 FROM firn.network')).toEqual([]);
    await of.configure({
      sources: { node: { url: proxy.url }, data: { url: plain.url, network: 'fuji' } },
      pipelines: { main: { streams: latest } },
    });
    expect((await of.firn('sync')).code).toBe(0);
  });
});
