import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { harmOfReader } from '../../src/publish/harmOf.ts';
import { readCurrent, readVersion, versionFile } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { verifyWhole } from '../publish/verify/verifyWhole.ts';

async function published(): Promise<Warehouse> {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`CREATE TABLE mart.numbers AS SELECT range AS i FROM range(3);
    CREATE VIEW staging.even AS SELECT i FROM mart.numbers WHERE i % 2 = 0`);
  await publish(warehouse, { runId: 'r1' });
  return warehouse;
}

/** Flips one bit of a file for the time of `use`. */
async function flipped(file: string, byte: number, bit: number, use: () => Promise<void>): Promise<void> {
  const whole = await readFile(file);
  const bytes = Buffer.from(whole);
  bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << bit), byte);
  await chmod(file, 0o644);
  await writeFile(file, bytes);
  await use();
  await writeFile(file, whole);
}

const places = (size: number, count: number) =>
  Array.from({ length: count }, (_, i) => [Math.floor((i * (size - 1)) / (count - 1)), i % 8] as const);

test('every flipped bit of a manifest is found', async () => {
  const { folder } = await published();
  const current = join(folder, 'lake', '_manifest.json');
  for (const [byte, bit] of places((await stat(current)).size, 400)) {
    await flipped(current, byte, bit, async () => {
      await expect(readCurrent(folder), `bit ${bit} of byte ${byte}`).rejects.toThrow('_manifest.json is damaged');
    });
  }
  await flipped(versionFile(folder, 1), 500, 1, () =>
    expect(verifyWhole(folder)).rejects.toThrow('000001.json is damaged'),
  );
});

test('every flipped bit of a reader database is found, whatever DuckDB thinks of it', { tags: 'long' }, async () => {
  const { folder } = await published();
  const file = join(folder, 'analytics.duckdb');
  const flips = places((await stat(file)).size, 50);
  for (const [byte, bit] of flips) {
    await flipped(file, byte, bit, async () => {
      expect(await harmOfReader(folder, file), `bit ${bit} of byte ${byte}`).toMatch(/^its SHA-256 is/);
    });
  }
  const [byte, bit] = flips[25] ?? [0, 0];
  await flipped(file, byte, bit, async () => {
    expect(await verifyWhole(folder)).toMatchObject({
      ok: false,
      failures: [{ check: 'reader', item: 'analytics.duckdb' }],
    });
  });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
});

test('a reader database that is damaged is told by name with the remedy, and the remedy works', async () => {
  const warehouse = await published();
  const { folder } = warehouse;
  const file = join(folder, 'analytics.duckdb');
  for (const place of [0, 4096]) {
    const bytes = await readFile(file);
    await chmod(file, 0o644);
    await writeFile(file, bytes.fill(0xff, place, place + 8192));
    const damaged = {
      code: 'failed',
      message: expect.stringMatching(/analytics\.duckdb is damaged: .*Run `firn publish`/s),
    };
    await expect(openReader(folder)).rejects.toMatchObject(damaged);
    await publish(warehouse, { runId: 'r2' });
    const reader = await openReader(folder);
    expect(await reader.query('SELECT count(*) AS n FROM staging.even')).toEqual([{ n: 2n }]);
    reader.close();
  }
});

test('an older manifest, without hash, is read, and rewritten by a rehash', async () => {
  const warehouse = await published();
  const { folder } = warehouse;
  const { sha256: _, ...old } = JSON.parse(await readFile(versionFile(folder, 1), 'utf8'));
  await writeFile(versionFile(folder, 1), JSON.stringify({ ...old, format: 1 }));
  expect(await readVersion(folder, 1)).toMatchObject({ format: 1, version: 1 });
  await publish(warehouse, { runId: 'r2', rehash: true });
  expect(await readVersion(folder, 1)).toMatchObject({ format: 2, version: 1 });
  expect(await verifyWhole(folder)).toMatchObject({ ok: true });
});

test('a publish that is killed around the swap leaves bytes that the manifest knows', async () => {
  const warehouse = await published();
  const failAt = (step: string) => {
    if (step === 'current') throw new Error('killed');
  };
  await warehouse.run('DELETE FROM mart.numbers WHERE i = 0');
  await expect(publish(warehouse, { runId: 'r2', failAt })).rejects.toThrow('killed');
  expect(await verifyWhole(warehouse.folder)).toMatchObject({ ok: true, version: 2 });
});
