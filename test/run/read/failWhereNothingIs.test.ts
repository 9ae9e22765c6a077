import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { failWhereNothingIs } from '../../../src/run/read/failWhereNothingIs.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { project } from '../../cli/cliHarness.ts';

const result = (stream: string, outcome: PartitionResult['outcome'], code?: PartitionResult['code']) =>
  ({ stream, partition: '', outcome, ...(code && { code }), message: `${outcome}.` }) as PartitionResult;
const chains = [{}] as never;
const sources = [{ name: 'node', identity: {} as never }, { name: 'data' }];

test.each<[string, PartitionResult[], never[], string[]]>([
  ['nothing at all', [result('node/a', 'not_offered'), result('node/b', 'not_offered')], [], ['failed', 'failed']],
  [
    'nothing, and a chain that nobody knows then',
    [result('node/a', 'not_offered'), result('node/b', 'failed', 'not_found')],
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

test.each([
  ['index and chain', { 'node/containers': { indexes: ['C/block'] }, 'node/evm_blocks': {} }],
  ['chain alone', { 'node/evm_blocks': {} }],
  ['chain alone, by its own URL', { 'node/evm_blocks': {} }],
])(
  'a URL with a path too many or too few (%s) fails with 1, in sync and doctor, and says what to correct once',
  async (by, streams) => {
    const devnet = await startDevnet({ head: '3%' });
    onTestFinished(() => devnet.close());
    const isRpc = by.endsWith('URL');
    const node = isRpc ? { rpc: { C: devnet.url } } : { url: `${devnet.url}/ext/bc/C/rpc` };
    const { firn } = await project({ sources: { node }, pipelines: { main: { streams } } });
    const sync = await firn('--json', 'sync');
    expect(sync.code).toBe(1);
    for (const { message } of sync.json.partitions)
      expect(message.match(/correct (?:its URL|sources\.node)/g)).toHaveLength(1);
    const doctor = await firn('doctor');
    const said = isRpc ? /fail {2}node chain C / : /fail {2}node network .*correct sources\.node\.url/;
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(said)]);
  },
);
