import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import type { PublishSource } from '../../src/publish/files/publishSource.ts';
import { type PublishStep, publish } from '../../src/publish/publish.ts';
import { publishError } from '../../src/publish/publishError.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { cut, sampleWarehouse } from './sampleWarehouse.ts';
import { verifyWhole } from './verify/verifyWhole.ts';

test.runIf(existsSync('/dev/full'))(
  'a disk that fills up leaves the version before, and says what to do',
  { tags: 'long' },
  async () => {
    const warehouse = await sampleWarehouse();
    await publish(warehouse, { ...cut, runId: 'r1' });
    await warehouse.run('UPDATE mart.metric SET numerator = 1');
    const full: PublishSource = {
      ...warehouse,
      // The device that is always full, in the place of the second file; the warehouse's own connection reaches no device.
      query: async (sql) => {
        if (!/TO '.*\/_staging\/2\.parquet'/.test(sql)) return warehouse.query(sql);
        const instance = await DuckDBInstance.create(':memory:');
        const connection = await instance.connect();
        try {
          await connection.run(`COPY (SELECT range FROM range(1000000)) TO '/dev/full' (FORMAT parquet)`);
          return [];
        } finally {
          connection.closeSync();
          instance.closeSync();
        }
      },
    };
    await expect(publish(full, { ...cut, runId: 'r2' })).rejects.toMatchObject({
      code: 'disk',
      message: expect.stringMatching(/free some space/i),
    });
    const { version, failures } = await verifyWhole(warehouse.folder);
    expect([version, failures.filter(({ check }) => check !== 'load')]).toEqual([1, []]);
    expect((await filesIn(warehouse.folder)).filter((file) => /-v000002-|_staging/.test(file))).toEqual([]);
    expect(await publish(warehouse, { ...cut, runId: 'r3' })).toMatchObject({ version: 2 });
  },
);

test('a disk that fills up while the reader database is built gets its room back', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  const full: PublishSource = {
    ...warehouse,
    run: async (sql) => {
      if (sql === 'CHECKPOINT firn_reader')
        throw new Error('IO Error: Could not write file "a": No space left on device');
      return warehouse.run(sql);
    },
  };
  await expect(publish(full, { ...cut, runId: 'r2' })).rejects.toMatchObject({ code: 'disk' });
  expect((await filesIn(warehouse.folder)).filter((file) => /000002|\.new-/.test(file))).toEqual([]);
  expect(await publish(warehouse, { ...cut, runId: 'r3' })).toMatchObject({ version: 2, isNew: true });
  expect(await verifyWhole(warehouse.folder)).toMatchObject({ version: 2 });
});

test('what readers see already stays when the disk is full at the very end', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  await warehouse.run('UPDATE mart.metric SET numerator = 1');
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const failAt = (step: PublishStep) => {
    if (step === 'current') throw full;
  };
  await expect(publish(warehouse, { ...cut, runId: 'r2', failAt })).rejects.toMatchObject({ code: 'disk' });
  const reader = await openReader(warehouse.folder);
  expect(await reader.query('SELECT DISTINCT numerator FROM mart.metric')).toHaveLength(1);
  reader.close();
});

test('what a reader database may show that cannot tell stays, too', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const failAt = async (step: PublishStep) => {
    if (step !== 'current') return;
    await rm(join(warehouse.folder, 'analytics.duckdb'));
    await writeFile(join(warehouse.folder, 'analytics.duckdb'), 'damaged');
    throw full;
  };
  await expect(publish(warehouse, { ...cut, runId: 'r1', failAt })).rejects.toMatchObject({ code: 'disk' });
  expect((await filesIn(warehouse.folder)).filter((file) => file.includes('-v000001-'))).not.toEqual([]);
});

const filesIn = (folder: string) => readdir(folder, { recursive: true });

test('a file that stands where a folder is to be is no matter of permissions', () => {
  const error = Object.assign(new Error('ENOTDIR: not a directory, mkdir'), { code: 'ENOTDIR' });
  expect((publishError(error, 'publish') as Error).message).toMatch(/a file stands where .* move the file away/);
});

test.each([
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'disk'],
  [Object.assign(new Error('write'), { code: 'EROFS' }), 'disk'],
  [new Error('IO Error: Could not write file "a": No space left on device'), 'disk'],
  [new Error('IO Error: Cannot open file "a": Permission denied'), 'disk'],
  [new FirnError('contract', 'as it is'), 'contract'],
  [new Error('Binder Error: no'), undefined],
])('%s is %s', (error, code) => {
  expect((publishError(error, 'publish') as { code?: string }).code).toBe(code);
});
