import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { failWhereNothingIs } from '../../../src/run/read/failWhereNothingIs.ts';
import type { PartitionResult } from '../../../src/run/read/syncStreams.ts';
import { project } from '../../cli/cliHarness.ts';

const result = (stream: string, outcome: PartitionResult['outcome'], code?: PartitionResult['code']) =>
  ({ stream, partition: '', outcome, ...(code && { code }), message: `${outcome}.` }) as PartitionResult;
const chains = [{}] as never;
const sources = [{ name: 'node', identity: {} as never }, { name: 'data' }];

test.each<[string, PartitionResult[], never[], string[]]>([
  ['nothing at all', [result('node/a', 'not_offered'), result('node/b', 'not_offered')], [], ['failed', 'failed']],
  [
    'nothing, and a chain that nobody knows then',
    [result('node/a', 'not_offered'), result('node/b', 'failed', 'config')],
    [],
    ['failed', 'failed'],
  ],
  ['another source', [result('node/a', 'not_offered'), result('data/b', 'done')], [], ['failed', 'done']],
  ['one thing', [result('node/a', 'not_offered'), result('node/b', 'done')], [], ['not_offered', 'done']],
  ['which network it is', [result('node/a', 'not_offered')], chains, ['not_offered']],
  ['nothing of a source that never says', [result('data/a', 'not_offered')], [], ['not_offered']],
])('a source that offers %s', (_, results, known, outcomes) => {
  expect(failWhereNothingIs(results, { chains: known }, sources).map(({ outcome }) => outcome)).toEqual(outcomes);
});

test('a URL with a path too many fails, in sync and doctor, and says what to correct', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const streams = { 'node/containers': { indexes: ['C/block'] }, 'node/evm_blocks': { blockchainIds: ['C'] } };
  const { firn } = await project({
    sources: { node: { url: `${devnet.url}/ext/bc/C/rpc` } },
    pipelines: { main: { streams } },
  });
  const sync = await firn('sync');
  expect(sync).toMatchObject({ code: 1, out: expect.stringMatching(/(correct sources\.node\.url[\s\S]*){2}/) });
  const doctor = await firn('doctor');
  expect(doctor).toMatchObject({
    code: 1,
    out: expect.stringMatching(/fail {2}node network .*correct sources\.node\.url/),
  });
});
