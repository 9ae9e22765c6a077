/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { project } from '../../cli/cliHarness.ts';
import { startProxy } from '../../pipelines/node/startProxy.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';

test('a cluster that was begun while the info API was off learns network and blockchain id once it answers', async () => {
  const net = await startDevnet({ head: '2%' });
  onTestFinished(() => net.close());
  const proxy = await startProxy(net.url, async ({ path }) => (path === '/ext/info' ? { unanswered: 404 } : undefined));
  onTestFinished(proxy.close);
  const rest = {
    control: await freshDatabase(),
    stage: await temporary(),
    engine: { trino: 'http://127.0.0.1:8080', catalog: 'lake' },
    pipelines: { p: { streams: { 'node/evm_chain_config': { blockchainIds: ['C'] } } } },
  };
  const self = await project({ sources: { node: { url: proxy.url } }, ...rest }, { isNew: true });
  const control = await openControl(rest.control);
  onTestFinished(() => control.close());
  const work = async () => {
    const { code, err } = await self.firn('worker', '--until-idle', '--no-apply');
    return [code, code === 0 ? '' : err];
  };
  const known = async () => [
    ...(await control.query('SELECT network_id, network, hrp FROM firn.network')),
    ...(await control.query(`SELECT blockchain_id, name FROM firn.chain WHERE alias = 'C'`)),
  ];
  expect(await work()).toEqual([0, '']);
  const [, chain] = await known();
  expect(chain).toMatchObject({ blockchain_id: null });
  await self.configure({ sources: { node: { url: net.url } }, ...rest });
  expect(await work()).toEqual([0, '']);
  expect(await known()).toEqual([
    { network_id: 12345, network: 'local', hrp: 'local' },
    { ...chain, blockchain_id: net.ledger.c.blockchainId },
  ]);
});

test('a worker whose node writes the genesis hash in capitals fits one that was first by a moment', async () => {
  const net = await startDevnet({ head: '2%' });
  onTestFinished(() => net.close());
  const url = await freshDatabase();
  const control = await openControl(url);
  onTestFinished(() => control.close());
  const proxy = await startProxy(net.url, async ({ method, params, forward }) => {
    if (method !== 'eth_getBlockByNumber' || (params as unknown[])[0] !== '0x0') return undefined;
    const block = (await forward()) as { hash: string };
    // Another worker, which began at the same moment, notes what its own node said.
    await control.query(
      `INSERT INTO firn.network (network_id, network, hrp) VALUES (12345, 'local', 'local') ON CONFLICT DO NOTHING`,
    );
    await control.query(
      `INSERT INTO firn.chain (chain_id, name, blockchain_id, alias, vm, genesis_hash) VALUES ($1, 'C-Chain', $2, 'C', 'evm', $3) ON CONFLICT DO NOTHING`,
      [String(net.ledger.c.evmChainId), net.ledger.c.blockchainId, block.hash],
    );
    return { result: { ...block, hash: block.hash.toUpperCase().replace('0X', '0x') } };
  });
  const self = await project(
    {
      sources: { node: { url: proxy.url } },
      control: url,
      stage: await temporary(),
      engine: { trino: 'http://127.0.0.1:8080', catalog: 'lake' },
      pipelines: { p: { streams: { 'node/evm_chain_config': { blockchainIds: ['C'] } } } },
    },
    { isNew: true },
  );
  expect(await self.firn('worker', '--until-idle', '--no-apply')).toMatchObject({ code: 0 });
});
