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
