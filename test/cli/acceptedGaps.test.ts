/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { project } from './cliHarness.ts';

const bad = 40;

/** A network whose node gives one block that cannot be read, until it is mended. */
async function badBlock() {
  const net = await startDevnet({ head: '6%' });
  let isMended = false;
  const node = await startProxy(net.url, async ({ method, params, forward }) => {
    if (isMended || method !== 'eth_getBlockByNumber' || Number((params as string[])[0]) !== bad) return undefined;
    return { result: { ...((await forward()) as object), gasUsed: 'much' } };
  });
  onTestFinished(async () => {
    await node.close();
    await net.close();
  });
  const mend = () => {
    isMended = true;
  };
  return { net, node, mend };
}

test('an accepted block is a known hole: told, and no reason to hold anything back; reopened it is one again, and read it is none', async () => {
  const { net, node, mend } = await badBlock();
  const sources = { node: { url: node.url }, metrics: { url: net.url } };
  const streams = { 'node/evm_blocks': { blockchainIds: ['C'], traces: false } };
  const { firn, query } = await project({ sources, pipelines: { main: { streams } } }, { isBuilt: true });
  const run = async () => {
    const { code, json } = await firn('--json', 'run');
    return { code, held: json.heldBack.length > 0 };
  };
  expect(await run()).toEqual({ code: 4, held: true });

  expect((await firn('quarantine', 'accept', '--all', '--reason', 'lost')).code).toBe(0);
  expect(await run()).toEqual({ code: 0, held: false });
  const gap = { stream: 'node/evm_blocks', partition: 'chain_id=43112', from: bad, to: bad };
  expect((await firn('--json', 'verify')).json).toMatchObject({ ok: true, knownGaps: [gap] });
  expect((await firn('status')).out).toMatch(
    /node\/evm_blocks has 1 known gap, which "firn verify" lists[\s\S]*Nothing needs attention/,
  );
  const covered = `SELECT bool_and(blocks_covered) AS all, bool_or(blocks_covered) AS some FROM firn.coverage WHERE time_interval = 'day'`;
  expect(await query(covered)).toEqual([{ all: false, some: true }]);

  expect((await firn('quarantine', 'reopen', '--all')).code).toBe(0);
  expect(await run()).toEqual({ code: 4, held: true });
  expect((await firn('verify')).out).toMatch(
    /number 40 of .* is missing[\s\S]*may be in quarantine: "firn quarantine"/,
  );

  expect((await firn('quarantine', 'accept', '--all', '--reason', 'lost')).code).toBe(0);
  mend();
  expect((await firn('backfill', 'node/evm_blocks', '--again', '2026-01-01..2026-12-31')).code).toBe(0);
  expect(await run()).toEqual({ code: 0, held: false });
  expect((await firn('--json', 'verify')).json).toMatchObject({ ok: true, knownGaps: [] });
  expect((await firn('status')).out).not.toContain('known gap');
});

test('so is an accepted container, and one that was kept and not decoded', async () => {
  const net = await startDevnet({ head: '6%' });
  const spoiled = new Map([
    [7, { bytes: '0x00' }],
    [9, { id: '2QouvFVDiS4mNaeGD6FUPDhaoKnGCLhSSAoUYgqoWQ8PGAvLVG' }],
  ]);
  const node = await startProxy(net.url, async ({ method, forward }) => {
    if (method !== 'index.getContainerRange') return undefined;
    const { containers } = (await forward()) as { containers: { index: string }[] };
    return { result: { containers: containers.map((one) => ({ ...one, ...spoiled.get(Number(one.index)) })) } };
  });
  onTestFinished(async () => {
    await node.close();
    await net.close();
  });
  const streams = { 'node/containers': { indexes: ['P/block'] } };
  const configuration = { sources: { node: { url: node.url } }, pipelines: { main: { streams } } };
  const { firn } = await project(configuration, { isBuilt: true });
  expect((await firn('run')).code).toBe(4);
  expect((await firn('quarantine', 'accept', '--matching', 'bytes', '--reason', 'lost')).code).toBe(0);
  expect((await firn('run')).code).toBe(0);
  const { json } = await firn('--json', 'verify');
  expect(json).toMatchObject({ ok: true, knownGaps: [{ from: 7 }, { from: 9 }] });
  // What passed before is looked at again.
  expect((await firn('quarantine', 'reopen', '--all')).code).toBe(0);
  const { heldBack } = (await firn('--json', 'run')).json;
  expect(heldBack.map(({ audit }: { audit: string }) => audit)).toContain('assert_container_indexes_without_gap');
});
