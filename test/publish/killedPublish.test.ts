import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PublishStep, publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { cut, sampleWarehouse } from './sampleWarehouse.ts';
import { verifyWhole } from './verify/verifyWhole.ts';

const steps: readonly PublishStep[] = ['clean', 'write', 'reader', 'manifest', 'swap', 'current', 'remove'];

async function metricsSeen(folder: string): Promise<unknown> {
  const reader = await openReader(folder);
  const rows = await reader.query('SELECT DISTINCT denominator FROM mart.metric');
  reader.close();
  return rows;
}

const allFiles = async (folder: string) =>
  (await readdir(join(folder, 'lake'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/_(readers|versions)/.test(entry.parentPath))
    .map((entry) => entry.name)
    .sort();

test('killed before any step, the version before stays whole and the next publish is as if nothing had been', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r0' });
  const harm = async () => {
    const verdict = await verifyWhole(warehouse.folder);
    return { files: verdict.files, failures: verdict.failures.filter(({ check }) => check !== 'load') };
  };
  for (const [n, step] of steps.entries()) {
    const [before, after] = [`${n + 3}`, `${n + 4}`];
    await warehouse.run(`UPDATE mart.metric SET denominator = ${after}`);
    let left = step === 'write' ? 3 : 1;
    const failAt = (at: PublishStep) => {
      if (at === step && --left === 0) throw new Error(`killed at ${step}`);
    };
    const killed = publish(warehouse, { ...cut, runId: `killed ${n}`, failAt });
    await expect(killed).rejects.toThrow(`killed at ${step}`);
    const isSwapped = step === 'current' || step === 'remove';
    expect([step, await metricsSeen(warehouse.folder)]).toEqual([step, [{ denominator: isSwapped ? after : before }]]);
    expect([step, (await harm()).failures]).toEqual([step, []]);

    await publish(warehouse, { ...cut, runId: `r${n + 1}`, keepVersions: 1 });
    expect([step, await metricsSeen(warehouse.folder)]).toEqual([step, [{ denominator: after }]]);
    const { files, failures } = await harm();
    expect([step, failures]).toEqual([step, []]);
    expect(await allFiles(warehouse.folder), step).toHaveLength(files + 2);
    expect(await readdir(join(warehouse.folder, '.state')), step).not.toContainEqual(expect.stringContaining('.new'));
  }
});

test('the number of a version that readers may have seen is given once', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  const publishOther = async (numerator: number, failAt?: (step: PublishStep) => void) => {
    await warehouse.run(`UPDATE mart.metric SET numerator = ${numerator}`);
    return publish(warehouse, { ...cut, runId: `r${numerator}`, ...(failAt && { failAt }) });
  };
  const killed = publishOther(2, (step) => {
    if (step === 'current') throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await publishOther(3)).toMatchObject({ version: 3 });
});

test('a signal stops a publish between two files', async () => {
  const warehouse = await sampleWarehouse();
  const controller = new AbortController();
  let files = 0;
  const failAt = (step: PublishStep) => {
    if (step === 'write' && ++files === 2) controller.abort('SIGTERM');
  };
  await expect(publish(warehouse, { ...cut, runId: 'r1', signal: controller.signal, failAt })).rejects.toMatchObject({
    code: 'interrupted',
    context: { signal: 'SIGTERM' },
  });
});
