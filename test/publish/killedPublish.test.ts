import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReader } from '../../src/publish/openReader.ts';
import { type PublishStep, publish } from '../../src/publish/publish.ts';
import { cut, sampleWarehouse } from './sampleWarehouse.ts';
import { verifyWhole } from './verifyWhole.ts';

const steps: readonly PublishStep[] = ['clean', 'write', 'manifest', 'reader', 'swap', 'current', 'remove'];

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

test.each(steps)(
  'killed before step %s, the version before stays whole and the next publish is as if nothing had been',
  async (step) => {
    const warehouse = await sampleWarehouse();
    await publish(warehouse, { ...cut, runId: 'r1' });
    const change = 'UPDATE mart.metric SET denominator = 5';
    await warehouse.run(change);
    let left = step === 'write' ? 3 : 1;
    const failAt = (at: PublishStep) => {
      if (at === step && --left === 0) throw new Error(`killed at ${step}`);
    };
    await expect(publish(warehouse, { ...cut, runId: 'r2', failAt })).rejects.toThrow(`killed at ${step}`);
    const isSwapped = step === 'current' || step === 'remove';
    expect(await metricsSeen(warehouse.folder)).toEqual([{ denominator: isSwapped ? '5' : '3' }]);
    expect((await verifyWhole(warehouse.folder)).failures.filter(({ check }) => check !== 'load')).toEqual([]);

    await publish(warehouse, { ...cut, runId: 'r3', keepVersions: 1 });
    expect(await metricsSeen(warehouse.folder)).toEqual([{ denominator: '5' }]);
    const verdict = await verifyWhole(warehouse.folder);
    expect(verdict.failures.filter(({ check }) => check !== 'load')).toEqual([]);
    expect(await allFiles(warehouse.folder)).toHaveLength(verdict.files + 2);
    expect(await readdir(join(warehouse.folder, '.state'))).not.toContainEqual(expect.stringContaining('.new'));
  },
);

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
