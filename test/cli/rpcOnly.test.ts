import { type DevnetOptions, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { project } from './cliHarness.ts';

vi.setConfig({ testTimeout: 120_000 });

async function devnet(options: DevnetOptions = {}) {
  const started = await startDevnet({ head: '3%', ...options });
  onTestFinished(() => started.close());
  return started;
}

const streams = { 'node/evm_blocks': { blockchainIds: ['C'] }, 'node/containers': { indexes: ['C/block'] } };
const rpcOnly = (url: string) => ({ sources: { node: { rpc: { C: url } } }, pipelines: { main: { streams } } });
const pinned = `SELECT network_id, network, (SELECT string_agg(chain_id, ',') FROM firn.chain WHERE vm = 'evm') AS chains FROM firn.network`;

test('the RPC URL of a chain alone is read; the index is not offered; another chain behind it is refused', {
  tags: 'long',
}, async () => {
  const { url, ledger, moveHead } = await devnet({ without: ['traces'] });
  const of = await project(rpcOnly(`${url}/ext/bc/C/rpc`));
  const first = await of.firn('sync');
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/node\/containers .*not offered/)]);
  const count = 'SELECT count(*) AS n FROM raw.node_evm_blocks';
  const [before] = await of.query<{ n: bigint }>(count);
  expect(before?.n).toBeGreaterThan(10n);
  expect(await of.query(pinned)).toEqual([
    { network_id: null, network: 'unknown', chains: String(ledger.c.evmChainId) },
  ]);

  moveHead('4%');
  expect((await of.firn('sync')).code).toBe(0);
  const [after] = await of.query<{ n: bigint }>(count);
  expect(after?.n).toBeGreaterThan(before?.n ?? 0n);

  const other = await startProxy(url, async ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined));
  for (const sources of [rpcOnly(`${other.url}/ext/bc/C/rpc`).sources, { node: { url: other.url } }]) {
    await of.configure({ sources, pipelines: { main: { streams } } });
    const refused = await of.firn('sync');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/holds C-Chain with chain id \d+, the node answers 1/),
    ]);
  }
  // A node of the same chain may take over, with its index.
  await of.configure({ sources: { node: { url } }, pipelines: { main: { streams } } });
  expect((await of.firn('sync')).code).toBe(0);
  expect(await of.query(pinned)).toMatchObject([{ network_id: ledger.networkId, network: 'local' }]);
  const [containers] = await of.query<{ n: bigint }>('SELECT count(*) AS n FROM raw.node_containers');
  expect(containers?.n).toBeGreaterThan(10n);
});

test('an RPC that wants a key, and says so with a status of 200, has one named as missing', async () => {
  const { url } = await devnet();
  const message = 'Unauthorized: You must authenticate your request with an API key.';
  const proxy = await startProxy(url, async () => ({ error: { code: -32000, message } }));
  const { firn } = await project(rpcOnly(`${proxy.url}/ext/bc/C/rpc`));
  const { code, err } = await firn('sync', '--select', 'node/evm_blocks');
  expect([code, err]).toEqual([77, expect.stringContaining('Check the key of this source')]);
});

test.each(['url', 'rpc'])(
  'a data service that is added to a warehouse of a node (%s) is asked for the network of the configuration',
  { tags: 'long' },
  async (by) => {
    const { url, ledger } = await devnet({ without: ['traces'] });
    const node = by === 'url' ? { url } : { rpc: { C: `${url}/ext/bc/C/rpc` } };
    const config = { 'node/evm_chain_config': {} };
    const of = await project({ sources: { node }, pipelines: { main: { streams: config } } });
    expect((await of.firn('sync')).code).toBe(0);
    const validators = { ...config, 'data/validators': {} };
    await of.configure({
      sources: { node, data: { url, network: 'fuji' } },
      pipelines: { main: { streams: validators } },
    });
    for (const _ of [1, 2]) expect((await of.firn('sync')).code).toBe(0);
    expect(await of.query('SELECT DISTINCT network FROM raw.data_validators')).toEqual([{ network: 'fuji' }]);
    expect(await of.query('SELECT network_id, network FROM firn.network')).toEqual([
      { network_id: by === 'url' ? ledger.networkId : null, network: 'fuji' },
    ]);
  },
);

test('the public chain ids tell the network', async () => {
  const { url } = await devnet();
  const fuji = await startProxy(url, async ({ method }) =>
    method === 'eth_chainId' ? { result: '0xa869' } : undefined,
  );
  const of = await project(rpcOnly(`${fuji.url}/ext/bc/C/rpc`));
  expect((await of.firn('plan')).code).toBe(0);
  expect(await of.query(pinned)).toEqual([{ network_id: null, network: 'fuji', chains: '43113' }]);
});
