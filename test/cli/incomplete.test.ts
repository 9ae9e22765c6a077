import { type Devnet, startDevnet } from 'firn-devnet';
import { beforeAll, expect, test, vi } from 'vitest';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { type Project, project, sourcesOf } from './cliHarness.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const streams = {
  'node/containers': { indexes: ['C/block', 'P/block', 'X/block'], allowIncomplete: true },
  'node/platform_blocks': {},
  'node/platform_validators': {},
  'node/platform_blockchains': {},
  'data/primary_transactions': { blockchainIds: ['p-chain', 'x-chain'], from: '2020-01-01' },
};

/** Numbers that an index has not got, in the middle of it. */
const holes: Readonly<Record<string, readonly [number, number]>> = {
  'C/block': [3, 5],
  'P/block': [8, 12],
  'X/block': [7, 7],
};

/** A node whose indexes have holes. */
function holed(net: Devnet) {
  return startProxy(net.url, async ({ path, method, params, forward }) => {
    const hole = holes[path.replace('/ext/index/', '')];
    if (!hole || !/^index\.getContainer(?:Range|ByIndex)$/.test(method)) return undefined;
    const [low, high] = hole;
    const { startIndex = 0, numToFetch = 0, index = -1 } = params as Record<string, number>;
    if (index >= low && index <= high) return { error: { code: -32000, message: `no container at index ${index}` } };
    if (method.endsWith('ByIndex') || startIndex > high || startIndex + numToFetch <= low) return undefined;
    if (startIndex >= low) return { error: { code: -32000, message: `no container at index ${startIndex}` } };
    return { result: await forward({ ...(params as object), numToFetch: low - startIndex }) };
  });
}

let net: Devnet;
beforeAll(async () => {
  net = await startDevnet({ head: '3%' });
  return () => net.close();
});

function read(url: string, others: object): Promise<Project> {
  const sources = { ...sourcesOf(net), node: { url } };
  return project({ sources, pipelines: { main: { streams: { ...streams, ...others } } } }, { isBuilt: true });
}

const rpc = { 'node/evm_blocks': { blockchainIds: ['C'] } };

test.each([
  ['holes', 'the RPC', rpc],
  ['holes', 'nothing', {}],
  ['a counting that leaves out', 'nothing', {}],
])(
  'an index with %s that is allowed, and %s beside it, is known, not harmed',
  { tags: 'long' },
  async (kind, _, others) => {
    const proxy = await holed(net);
    const counted = { 'C/block': [[3, 5]], 'P/block': [[8, 12]], 'X/block': [[7, 7]] } as const;
    if (kind !== 'holes') net.configure({ gaps: counted });
    try {
      const of = await read(kind === 'holes' ? proxy.url : net.url, others);
      const run = await of.firn('run');
      expect([run.code, run.out]).toEqual([0, expect.not.stringMatching(/audit assert_/)]);
      const verified = await of.firn('verify');
      expect([verified.code, verified.out]).toEqual([
        0,
        expect.stringMatching(/^Version \d+ is whole: .*\nKnown gaps/),
      ]);
      expect(verified.out).toMatch(kind === 'holes' ? /P\/block +8 to 12/ : /P\/block +something before 7/);
      const evidence = await of.firn('verify', '--evidence');
      expect([evidence.code, evidence.out]).toEqual([0, expect.stringMatching(/Nothing is broken/)]);
      expect((await of.firn('build')).code).toBe(0);
      expect((await of.firn('status', '--check')).code).toBe(0);
    } finally {
      net.configure({ gaps: {} });
    }
  },
);

test('a source that was compared with nothing does not pass', { tags: 'long' }, async () => {
  const of = await project({
    sources: sourcesOf(net),
    pipelines: { main: { streams: { 'node/platform_validators': {} } } },
  });
  expect((await of.firn('sync')).code).toBe(0);
  const { code, err, out } = await of.firn('verify', '--against-source');
  expect([code, err, out]).toEqual([1, expect.stringMatching(/Nothing was compared/), '']);
  expect(JSON.parse((await of.firn('--json', 'verify', '--against-source')).out)).toHaveProperty('error');
});
