/** @module-tag long */

import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { project } from '../cli/cliHarness.ts';
import { temporary } from '../temporaryFolders.ts';
import { freshDatabase } from './postgres.ts';

test.each([['worker'], ['migrate', '--to', 'machine'], ['verify']])(
  'a control database whose engine lacks its password is let go at once by firn %s',
  async (...words) => {
    const control = await freshDatabase();
    const watcher = new pg.Client(control);
    await watcher.connect();
    onTestFinished(() => watcher.end());
    const self = await project(
      {
        sources: { node: { url: 'http://127.0.0.1:1' } },
        pipelines: { p: { streams: { 'node/platform_blocks': {} } } },
        control,
        stage: join(await temporary(), 'stage'),
        engine: { trino: 'http://127.0.0.1:1', catalog: 'lake', password: `\${env:FIRN_NO_SUCH_PASSWORD}` },
      },
      { isNew: true },
    );
    expect(await self.firn(...words)).toMatchObject({ code: 2, err: expect.stringContaining('FIRN_NO_SUCH_PASSWORD') });
    // By itself a pool lets go after ten seconds: a command would last as long.
    const held = () =>
      watcher.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'firn'`);
    await expect.poll(async () => (await held()).rowCount, { timeout: 3_000 }).toBe(0);
  },
);
