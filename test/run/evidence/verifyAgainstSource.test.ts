import { afterAll, beforeAll, expect, test } from 'vitest';
import { sources as declared } from '../../../pipelines/index.ts';
import { containers } from '../../../pipelines/node/containers.ts';
import { platformBlocks } from '../../../pipelines/node/platformBlocks.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { verifyAgainstSource } from '../../../src/run/evidence/verifyAgainstSource.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { openSources } from '../../../src/run/sources/openSources.ts';
import { type NodeHarness, startNodeHarness } from '../../pipelines/node/nodeHarness.ts';
import { startProxy } from '../../pipelines/node/startProxy.ts';
import { some } from '../../some.ts';

let harness: NodeHarness;
beforeAll(async () => {
  harness = await startNodeHarness([containers]);
  await harness.sync({ 'node/containers': { indexes: ['P/block', 'X/block'], decode: false } });
});
afterAll(() => harness.close());

async function verify(url: string, sample: number, { warehouse } = harness) {
  const settings = settingsSchema(declared).parse({ sources: { node: { url } }, pipelines: {} });
  const sources = await openSources({ settings, sources: declared });
  try {
    const fetch = sources.fetch['node'];
    if (!fetch) throw new Error('no node');
    return await verifyAgainstSource({ warehouse, fetch, sample, seed: 0.5 });
  } finally {
    await sources.close();
  }
}

test('the circle closes for containers of the node that was read', async () => {
  const before = harness.devnet.stats().calls;
  expect(await verify(harness.devnet.url, 40)).toEqual({ checked: 40, findings: [] });
  const { calls } = harness.devnet.stats();
  for (const method of ['isAccepted', 'getIndex', 'getContainerByIndex', 'getContainerByID']) {
    const asked = (index: string) =>
      (calls[`/ext/index/${index} index.${method}`] ?? 0) - (before[`/ext/index/${index} index.${method}`] ?? 0);
    expect(asked('P/block') + asked('X/block')).toBe(40);
  }
});

test.each([
  ['no longer accepts one', 'isAccepted', { isAccepted: false }, 'the node no longer accepts it'],
  ['counts one otherwise', 'getIndex', { index: '9' }, 'getIndex says 9'],
  ['has another one there', 'getContainerByIndex', { id: 'other', bytes: '0x00' }, 'at this index is other'],
  ['has none there', 'getContainerByIndex', { id: { toString: 1, valueOf: null } }, 'at this index is {"toString":1'],
  ['gives other bytes', 'getContainerByID', { bytes: '0x00006db1b6b6' }, 'its bytes are'],
  ['gives other bytes there', 'getContainerByIndex', { bytes: '0x00006db1b6b6' }, 'its bytes are'],
  ['has one elsewhere', 'getContainerByID', { index: '9' }, 'getContainerByID says index 9'],
])('a node that %s is found out', async (_, method, change, what) => {
  const proxy = await startProxy(harness.devnet.url, async ({ method: asked, forward }) =>
    asked === `index.${method}` ? { result: { ...((await forward()) as object), ...change } } : undefined,
  );
  const { checked, findings } = await verify(proxy.url, 3);
  await proxy.close();
  expect(checked).toBe(3);
  expect(findings.map((finding) => finding.what).join('\n')).toContain(what);
  expect(findings).toHaveLength(3);
  expect(new Set(findings.map(({ id }) => id)).size).toBe(3);
});

test.each([
  ['getIndex', 'not found', 'getIndex says not found'],
  ['getContainerByIndex', 'no container at index 7', 'at this index is nothing'],
  ['getContainerByIndex', 'no containers have been accepted', 'at this index is nothing'],
  ['getContainerByID', 'not found', 'getContainerByID says index not found'],
])('a node that answers %s with "%s" is found out', async (method, message, what) => {
  const proxy = await startProxy(harness.devnet.url, async ({ method: asked }) =>
    asked === `index.${method}` ? { error: { code: -32000, message } } : undefined,
  );
  const { findings } = await verify(proxy.url, 1);
  await proxy.close();
  expect(findings.map((finding) => finding.what)).toEqual([what]);
});

test('bytes that differ in both answers are told once', async () => {
  const proxy = await startProxy(harness.devnet.url, async ({ method: asked, forward }) =>
    asked?.startsWith('index.getContainer')
      ? { result: { ...((await forward()) as object), bytes: '0x00006db1b6b6' } }
      : undefined,
  );
  const { findings } = await verify(proxy.url, 1);
  await proxy.close();
  expect(findings).toHaveLength(1);
});

test('a node that was wiped is found out, container by container', async () => {
  harness.devnet.configure({ gaps: { 'P/block': [[1, 1402]], 'X/block': [[1, 1300]] } });
  const { findings } = await verify(harness.devnet.url, 5);
  harness.devnet.configure({ gaps: {} });
  expect(findings.map((finding) => finding.what)).toEqual(Array(5).fill('the node no longer accepts it'));
});

test.each([
  ['damaged bytes', (hex: string) => `0x${'00'.repeat(40)}${hex.slice(-8)}`, 0, /its bytes are damaged/],
  ['another block', () => encodeHexChecksum(Buffer.alloc(40)), 0, /gives bytes of/],
  ['nothing', () => null, 0, 'the node no longer knows the block'],
  ['what was read', (hex: string) => hex, 0, null],
  ['what was read of another height', (hex: string) => hex, 100, /its bytes say height \d+$/],
] as const)('a P-Chain block is asked for by its id: %s', async (_, change, off, what) => {
  const blocks = await startNodeHarness([containers, platformBlocks]);
  await blocks.sync({ 'node/platform_blocks': { to: 12 } });
  await blocks.warehouse.run(`UPDATE raw.node_platform_blocks SET height = height + ${off}`);
  const proxy = await startProxy(blocks.devnet.url, async ({ method, forward }) => {
    if (method !== 'platform.getBlock') return undefined;
    const { block, encoding } = (await forward()) as { block: string; encoding: string };
    const changed = change(block);
    return changed === null
      ? { error: { code: -32000, message: "couldn't get block with id x: not found" } }
      : { result: { block: changed, encoding } };
  });
  try {
    const { checked, findings } = await verify(proxy.url, 5, blocks);
    expect(checked).toBe(5);
    expect(findings).toHaveLength(what === null ? 0 : 5);
    if (what !== null)
      for (const finding of some(findings))
        expect(finding).toMatchObject({ indexName: 'platform.getBlock', what: expect.stringMatching(what) });
  } finally {
    await proxy.close();
    await blocks.close();
  }
});

test('a node that cannot say anything of a P-Chain block contradicts nothing', async () => {
  const blocks = await startNodeHarness([containers, platformBlocks]);
  await blocks.sync({ 'node/platform_blocks': { to: 2 } });
  const proxy = await startProxy(blocks.devnet.url, async ({ method }) =>
    method === 'platform.getBlock' ? { error: { code: -32000, message: 'problem parsing encoding' } } : undefined,
  );
  try {
    await expect(verify(proxy.url, 1, blocks)).rejects.toThrow('problem parsing encoding');
  } finally {
    await proxy.close();
    await blocks.close();
  }
});
