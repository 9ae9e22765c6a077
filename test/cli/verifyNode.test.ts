import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { blockRange } from '../../src/cli/options/blockRange.ts';
import { verifyEvidence } from '../../src/cli/tasks/verifyEvidence.ts';
import { verifySource } from '../../src/cli/tasks/verifySource.ts';
import { createConsole } from '../../src/cli/terminal/console.ts';
import { type Project, project, sourcesOf } from './cliHarness.ts';

vi.setConfig({ testTimeout: 180_000 });

let devnet: Devnet;
let own: Project;
beforeAll(async () => {
  devnet = await startDevnet({ head: '5%' });
  own = await project({
    sources: sourcesOf(devnet),
    pipelines: { main: { streams: { 'node/containers': {}, 'node/evm_blocks': { traces: false } } } },
  });
  expect((await own.firn('sync')).code).toBe(0);
});
afterAll(() => devnet.close());

test.each([
  ['C', { chain: 'C' }],
  ['99001:5..', { chain: '99001', from: 5 }],
  ['C:100..200', { chain: 'C', from: 100, to: 200 }],
  ['..7', { to: 7 }],
  ['3..4', { from: 3, to: 4 }],
])('%s is a range of blocks', (text, range) => {
  expect(blockRange(text)).toEqual(range);
});

test.each(['C:1', 'a b:..x', '1...2', ''])('%s is none', (text) => {
  expect(() => blockRange(text)).toThrow(/is not a range of blocks/);
});

test('a range that ends before it begins is refused', () => {
  expect(() => blockRange('C:5..1')).toThrow(/ends before it begins/);
});

describe('firn verify', () => {
  test('--evidence proves all, a range, and says what breaks', { tags: 'long' }, async () => {
    const whole = await own.firn('verify', '--evidence');
    expect(whole.code).toBe(0);
    expect(whole.out).toContain('Nothing is broken');
    expect(whole.out).toMatch(/\n\nP-Chain: .*\nX-Chain: .*\nC-Chain: [\d,]+ blocks from 0 to \d+, [\d,]+ blocks\/s\n/);

    const state = await own.open();
    await state.run(
      'DELETE FROM raw.node_evm_logs WHERE ("number", log_index) IN (SELECT ("number", log_index) FROM raw.node_evm_logs ORDER BY "number" LIMIT 1)',
    );
    state.close();
    const broken = await own.firn('--json', 'verify', '--evidence', 'C:0..100000');
    expect(broken.code).toBe(3);
    expect(broken.json.broken).toHaveLength(1);
    expect((await own.firn('verify', '--evidence', 'Q:1..2')).code).toBe(2);
    expect(broken.json.broken[0].what).toMatch(/^(?:receipts: log 0|bloom: )/);
    const { out, code } = await own.firn('verify', '--evidence', 'C');
    expect([code, out]).toEqual([
      3,
      expect.stringMatching(
        /\n\n1 block fails:\nchain +block +what breaks\nC-Chain +\d+ +\w+: .*\n"firn backfill --again <day>"/,
      ),
    ]);
  });

  test('what holds no block of a range does not pass, and what lies between blocks that were read is told', async () => {
    expect(await own.firn('verify', '--evidence', 'C:90000000..')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/Nothing was proven: .* in C:90000000\.\.\. Read them with/),
    });
    const state = await own.open();
    for (const table of ['evm_blocks', 'containers_c_blocks'])
      await state.run(`UPDATE raw.node_${table} SET "number" = "number" + 1000000 WHERE "number" >= 3`);
    state.close();
    expect((await own.firn('--json', 'verify', '--evidence', 'C:5..2000')).json).toMatchObject({
      error: { code: 'not_found' },
    });
    const broken = await own.firn('verify', '--evidence', 'C:1..2000');
    expect(broken.out).toMatch(
      /C-Chain: 2 blocks from 1 to 2000 \(1,998 heights between them not held\), \d+ blocks\/s\n/,
    );
  });

  test('what was stopped does not say that nothing is broken', async () => {
    const global = { config: own.config, quiet: true };
    const context = { global, console: createConsole(global), signal: AbortSignal.abort('SIGINT') };
    await expect(verifyEvidence(context, true)).rejects.toMatchObject({ code: 'interrupted' });
    await expect(verifySource(context, 5)).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('what was stopped while the node does not answer says that it was a comparison, and promises nothing of a next run', async () => {
    const global = { config: own.config, quiet: true };
    const stop = new AbortController();
    devnet.setFaults({ reset: 1 });
    setTimeout(() => stop.abort('SIGINT'), 300);
    await expect(
      verifySource({ global, console: createConsole(global), signal: stop.signal }, 5),
    ).rejects.toMatchObject({ message: 'Comparing was stopped; what is published did not change.' });
    devnet.setFaults({});
  });

  test('--against-source asks the node', { tags: 'long' }, async () => {
    const same = await own.firn('verify', '--against-source', '20');
    expect(same.code).toBe(0);
    expect(same.out).toContain('containers and P-Chain blocks chosen at random as they were read');
    devnet.configure({ gaps: { 'C/block': [[1, 10_000]], 'P/block': [[1, 10_000]], 'X/block': [[1, 10_000]] } });
    const wiped = await own.firn('verify', '--against-source');
    devnet.configure({ gaps: {} });
    expect(wiped.code).toBe(3);
    expect(wiped.out).toContain('the node no longer accepts it');
  });
});
