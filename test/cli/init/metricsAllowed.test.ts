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

test('a node that answers and runs no EVM chain is not said to be unchecked', async () => {
  const sentenceOf = async (state: string) => {
    const offers = { node: { chains: [], findings: [{ about: 'chain C', state }] } };
    const report = { offers, streams: [] } as unknown as ProbeReport;
    return metricsAllowed(metricsOf(await readModels()), report)[0]?.sentence;
  };
  expect(await sentenceOf('missing')).toBe('0 of 17 recomputed: it offers no EVM chain that was asked about');
  expect(await sentenceOf('unreachable')).toMatch(/^could not be checked; with the whole history 17 of 17/);
});
