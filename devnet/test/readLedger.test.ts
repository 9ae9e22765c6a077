import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../src/readLedger.ts';

const signed = join(import.meta.dirname, '../../test/fixtures/node-ledger-signed');
const forks = join(import.meta.dirname, '../../test/fixtures/node-ledger-forks');

describe('readLedger', () => {
  test('reads the packed recording whole', async () => {
    const ledger = await readLedger();
    const { chains, files } = ledger.manifest as {
      chains: Record<string, { lastHeight: number }>;
      files: Record<string, { lines: number }>;
    };
    expect([ledger.networkId, ledger.networkName, ledger.c.evmChainId]).toEqual([12345, 'local', 43112]);
    for (const chain of [ledger.c, ledger.p, ledger.x, ...ledger.l1s]) {
      expect(chain.blocks.length - 1).toBe(chains[chain.name]?.lastHeight);
    }
    expect(ledger.l1s.map(({ name, evmChainId }) => [name, evmChainId])).toEqual([['L1', 99001]]);
    expect(ledger.finalState.length).toBe(files['final-state.jsonl.gz']?.lines);
    expect(ledger.exactAnswers.length).toBe(files['exact-answers.jsonl.gz']?.lines);
    expect(ledger.rewards.size).toBe(files['p-rewards.jsonl.gz']?.lines);
    expect(ledger.atomicTxs.size).toBe(files['c-atomic.jsonl.gz']?.lines);
    expect(new Date(ledger.lastMoment).toISOString()).toBe('2026-04-04T23:54:20.964Z');
  });

  test('keeps every digit and every byte of what the node sent', async () => {
    const { p } = await readLedger();
    const lines = gunzipSync(readFileSync(join(import.meta.dirname, '../ledger/p-chain.jsonl.gz')));
    const text = lines.toString('utf8').split('\n');
    const large = p.blocks.filter(({ json }) => /:\d{17,}/.test(json));
    expect(large.length).toBeGreaterThan(0);
    for (const block of large) expect(text[block.height]).toContain(`"json":${block.json},"hex":${block.hex},`);
  });

  test.each([
    ['signed containers', signed, [94, 55, 55], 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
    ['a history through every fork', forks, [107, 258, 57], 'NodeID-Cj8U35aarNYhsZmkcDEn2RtjSM8HefPVf'],
  ])('reads a recording of %s, which lacks files', async (_, folder, blocks, nodeId) => {
    const ledger = await readLedger(folder);
    expect([ledger.c, ledger.p, ledger.x].map((chain) => chain.blocks.length)).toEqual(blocks);
    expect(ledger.nodeId).toBe(nodeId);
    expect([ledger.l1s, ledger.snapshots, ledger.finalState]).toEqual([[], [], []]);
  });

  test('orders moments, genesis first', async () => {
    for (const ledger of [await readLedger(signed), await readLedger(forks)]) {
      for (const { blocks } of [ledger.c, ledger.p, ledger.x]) {
        const moments = blocks.map(({ visibleAt }) => visibleAt);
        expect(moments).toEqual([...moments].sort((a, b) => a - b));
        expect(moments[0]).toBeLessThanOrEqual(ledger.firstMoment);
      }
    }
  });
});

describe('a recording that cannot be read', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ledger-'));
    cpSync(signed, dir, { recursive: true });
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const change = (file: string, edit: (lines: string[]) => void): void => {
    const lines = gunzipSync(readFileSync(join(dir, file)))
      .toString('utf8')
      .split('\n');
    edit(lines);
    writeFileSync(join(dir, file), gzipSync(lines.join('\n')));
  };

  test('names a folder that is missing', async () => {
    await expect(readLedger(join(dir, 'nothing'))).rejects.toThrow(/nothing: no such folder/);
  });

  test('names a folder without a manifest', async () => {
    rmSync(join(dir, 'manifest.json'));
    await expect(readLedger(dir)).rejects.toThrow(`${dir}: no manifest.json`);
  });

  test('names a manifest that is not JSON', async () => {
    writeFileSync(join(dir, 'manifest.json'), '{');
    await expect(readLedger(dir)).rejects.toThrow('manifest.json: not valid JSON');
  });

  test('names the file and line of broken JSON', async () => {
    change('c-chain.jsonl.gz', (lines) => {
      lines[4] = (lines[4] ?? '').slice(0, 200);
    });
    await expect(readLedger(dir)).rejects.toThrow(
      /c-chain\.jsonl\.gz, line 5: the string that opens at position \d+ is not closed/,
    );
  });

  test('names the line where a height is missing', async () => {
    change('x-chain.jsonl.gz', (lines) => lines.splice(3, 1));
    await expect(readLedger(dir)).rejects.toThrow('x-chain.jsonl.gz, line 4: height 4 where 3 was expected');
  });

  test('names the member that is missing', async () => {
    change('p-rewards.jsonl.gz', (lines) => {
      lines[0] = '{"txID":"x","finished":true}';
    });
    await expect(readLedger(dir)).rejects.toThrow('p-rewards.jsonl.gz, line 1: no member "result"');
  });

  test('names a file that is cut off', async () => {
    const file = join(dir, 'p-chain.jsonl.gz');
    writeFileSync(file, readFileSync(file).subarray(0, 5000));
    await expect(readLedger(dir)).rejects.toThrow(/p-chain\.jsonl\.gz: not a whole gzip file/);
  });

  test('refuses one without any block', async () => {
    for (const name of ['c-chain', 'p-chain', 'x-chain']) rmSync(join(dir, `${name}.jsonl.gz`));
    await expect(readLedger(dir)).rejects.toThrow('the recording holds no block after genesis');
  });

  test('reads what is left when files are missing', async () => {
    for (const name of ['c-chain', 'x-chain', 'exact-answers', 'c-atomic']) rmSync(join(dir, `${name}.jsonl.gz`));
    const ledger = await readLedger(dir);
    expect([ledger.c.blocks.length, ledger.p.blocks.length, ledger.nodeId]).toEqual([
      0,
      55,
      'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
    ]);
  });
});
