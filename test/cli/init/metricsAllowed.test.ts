import { expect, test } from 'vitest';
import { metricsAllowed } from '../../../src/cli/init/metricsAllowed.ts';
import type { ProbeReport } from '../../../src/run/probe/probeSources.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';

test('the index alone is said to know no gas from Helicon on', async () => {
  const partition = { values: { index_name: 'C/block' } };
  const report = {
    offers: { node: { chains: [] } },
    streams: [{ stream: 'node/containers', state: 'ok', partition }],
  } as unknown as ProbeReport;
  const [index] = metricsAllowed(metricsOf(await readModels()), report);
  expect(index).toMatchObject({
    source: 'node, index C/block',
    allowed: expect.arrayContaining(['txCount', 'gasUsed']),
    sentence: expect.stringMatching(
      /^7 of 17 recomputed; not .*; from Helicon on not gasUsed, avgGps, maxGps: without receipts$/,
    ),
  });
});
