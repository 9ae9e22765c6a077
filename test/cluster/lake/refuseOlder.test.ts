import { hostname } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { refuseOlder } from '../../../src/cluster/lake/refuseOlder.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import type { Log } from '../../../src/core/log.ts';
import { packageVersion } from '../../../src/load/packageFiles.ts';
import { freshDatabase } from '../postgres.ts';

test('an older firn with other models leaves the tables to the newer one, and an own model that one machine lacks is told', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const builds = createBuilds(control);
  const warn = vi.fn();
  const refuse = async (modelsHash: string, own?: string) =>
    refuseOlder(await builds.last(), modelsHash, { log: { warn } as unknown as Log, ...(own && { own }) });
  await refuse('own', '0.0.1');
  await builds.finish([], { modelsHash: 'newer', snapshots: {}, partial: {}, behind: [] });
  const told = `firn ${packageVersion()} on ${hostname()} was the last to build the tables`;
  await expect(refuse('own', '0.0.1')).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringContaining(told),
  });
  await refuse('newer', '0.0.1');
  await refuse('own');
  await control.query(`UPDATE firn.build SET firn_version = '0.10.0'`);
  await refuse('own', '0.11.0');
  await refuse('own', '1.0.0-rc.1');
  await expect(refuse('own', '0.9.12')).rejects.toMatchObject({ code: 'newer_warehouse' });
  expect(warn).not.toHaveBeenCalled();
  await control.query(`UPDATE firn.build SET machine = 'another'`);
  await refuse('own', '0.10.0');
  expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('another was the last to build the tables'));
  await control.query('UPDATE firn.build SET firn_version = NULL');
  await refuse('own', '0.0.1');
});
