/** @module-tag long */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import { planStreams } from '../../../src/run/planStreams.ts';
import { probeSources } from '../../../src/run/probe/probeSources.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { json, localServer } from '../../extract/localServer.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

const streams = {
  'node/containers': {},
  'node/evm_blocks': {},
  'node/platform_validators': {},
  'data/latest_transactions': { chainIds: ['1'] },
  'data/validators': {},
  'metrics/chain_metrics': { chainIds: ['1'] },
};

const quantity = fc.nat().map((n) => `0x${n.toString(16)}`);
/** What may come as a result: nearly right, or anything. */
const result = fc.oneof(
  quantity,
  fc.constantFrom(
    null,
    [],
    {},
    '',
    'C',
    { chains: [{}, null] },
    { networkID: '1' },
    { networkID: {} },
    { transactions: [1] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

test('whatever a server answers, there are findings and no crash', async () => {
  let answers: readonly unknown[] = [];
  const { url } = await localServer((response, n, { method, body }) => {
    const said = answers[n % answers.length];
    const id = method === 'POST' ? JSON.parse(body).id : undefined;
    json(response, 200, method === 'POST' && n % 7 !== 0 ? { jsonrpc: '2.0', id, result: said } : JSON.stringify(said));
  });
  const settings = settingsSchema(declared).parse({
    sources: { node: { url }, data: { url }, metrics: { url } },
    pipelines: { main: { streams } },
  });
  const planned = planStreams(settings, catalogue);
  await fc.assert(
    fc.asyncProperty(fc.array(result, { minLength: 3, maxLength: 12 }), async (given) => {
      answers = given;
      const { findings } = await probeSources({
        declared,
        sources: settings.sources,
        chains: ['C'],
        streams: () => planned,
        signal: new AbortController().signal,
        patienceMs: 1_500,
      });
      for (const source of ['node', 'data', 'metrics']) {
        expect(findings.some((finding) => finding.source === source && finding.sentence !== '')).toBe(true);
      }
    }),
    { numRuns: fuzzRuns(20) },
  );
});
