/** @module-tag long */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, sources } from '../../../pipelines/index.ts';
import { readCurrent } from '../../../src/publish/manifest.ts';
import type { PhaseOptions } from '../../../src/run/phases/phaseOptions.ts';
import { runPhases } from '../../../src/run/phases/runPhases.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { project } from '../../cli/cliHarness.ts';

test('a publish hashes what it keeps where that is asked for, and stops where a signal comes', async () => {
  const { warehouse } = await project({ sources: {} }, { isBuilt: true });
  await mkdir(join(warehouse, 'refs'));
  const prices = (text: string) => writeFile(join(warehouse, 'refs', 'prices.csv'), text);
  const settings = { ...settingsSchema(sources).parse({ sources: {}, pipelines: {} }), warehouse };
  const publish = (more: Partial<PhaseOptions> = {}) =>
    runPhases({
      settings,
      catalogue,
      phases: ['publish'],
      signal: new AbortController().signal,
      log: { debug() {}, warn() {} },
      ...more,
    });
  await prices('usd\n1\n');
  expect((await publish()).published).toMatchObject({ version: 1, isNew: true });
  const [path = ''] =
    (await readCurrent(warehouse))?.tables.flatMap(({ files }) => files.map((file) => file.path)) ?? [];
  const file = join(warehouse, 'lake', path);
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(8) ^ 1, 8);
  await writeFile(file, bytes);
  expect((await publish()).published).toMatchObject({ version: 1, written: 0 });
  expect((await publish({ rehash: true })).published).toMatchObject({ version: 2, written: 1 });
  await prices('usd\n2\n');
  // Within a phase, and between two.
  for (const phases of [['publish'], ['build', 'publish']] as const) {
    const stop = new AbortController();
    const stopped = await publish({ phases, signal: stop.signal, listener: { phase: () => stop.abort('SIGTERM') } });
    expect([stopped.exitCode, stopped.published]).toEqual([143, null]);
  }
  expect((await readCurrent(warehouse))?.version).toBe(2);
});
