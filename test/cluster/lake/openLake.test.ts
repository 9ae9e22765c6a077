import { expect, test } from 'vitest';
import { claimCatalog } from '../../../src/cluster/lake/openLake.ts';
import { clusterPart } from '../../../src/run/settings.ts';
import { testCluster } from '../worker/lakeOfTests.ts';

test('a control database that is older than its lake is refused', async () => {
  const { cluster, engine, settings } = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const claim = () => claimCatalog(engine, cluster, settings);
  await claim();
  await engine.run('CREATE TABLE firn.load AS SELECT 7::BIGINT AS load_id, 7::BIGINT AS firn_batch');
  await expect(claim()).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('up to 7;') });
  await cluster.control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     VALUES (7, '', '', '', 0, 0, 0, 0, 0, now())`,
  );
  await claim();
});

test('a process whose tables would lie elsewhere than those of others is refused before it fills any', async () => {
  const { cluster, engine, settings } = await testCluster({ url: 'http://127.0.0.1:1' }, {});
  const other = { ...settings, engine: { ...clusterPart(settings, 'engine'), schema: 'other' } };
  await claimCatalog(engine, cluster, settings);
  const elsewhere = claimCatalog(engine, cluster, other);
  await expect(elsewhere).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(
      'engine names lake.other, and other processes of this control database use lake.firn',
    ),
  });
  await cluster.control.query('UPDATE firn.warehouse SET lake = NULL');
  await claimCatalog(engine, cluster, other);
});
