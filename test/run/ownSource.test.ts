import { expect, test } from 'vitest';
import { catalogue, sources } from '../../pipelines/index.ts';
import { configJsonSchema } from '../../src/cli/config/configJsonSchema.ts';
import { openProject } from '../../src/run/openProject.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import { planSync } from '../../src/run/plan/planSync.ts';
import { planStreams } from '../../src/run/planStreams.ts';
import { probeSources } from '../../src/run/probe/probeSources.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { json, localServer } from '../extract/localServer.ts';
import { temporary } from '../temporaryFolders.ts';
import { exchange, prices } from './ownSource.ts';

const declared = [...sources, exchange];
const streams = [...catalogue, prices];
const { signal } = new AbortController();
const log = { debug() {}, warn() {} };

/** An exchange that wants a key and lists prices on two pages, and the configuration that reads it. */
async function setUp() {
  const server = await localServer((response, _, { url, headers }) => {
    if (headers['x-own-key'] !== 'k-123456789') return json(response, 401, { message: 'key?' });
    if (url?.startsWith('/markets')) return json(response, 200, { chains: [{ id: '7' }] });
    const page = url?.includes('pageToken') ? [2] : [0, 1];
    const rows = page.map((day) => `{"day": ${day}, "price": ${day}.10}`).join();
    json(response, 200, `{"prices": [${rows}]${page.length > 1 ? ', "nextPageToken": "more"' : ''}}`);
  });
  const given = {
    sources: { exchange: { url: server.url, key: 'k-123456789', keyHeader: 'x-own-key', quota: { perDay: 1000 } } },
    pipelines: { main: { streams: { 'exchange/prices': { coins: ['avax'] } } } },
  };
  const settings: Settings = { ...settingsSchema(declared).parse(given), warehouse: await temporary() };
  return { server, settings };
}

test('a source that is a file is planned, read, counted and asked as any other', { tags: 'long' }, async () => {
  const { settings } = await setUp();
  const report = await runPhases({ settings, catalogue: streams, phases: ['sync'], signal, log });
  expect(report).toMatchObject({ exitCode: 0, partitions: [{ stream: 'exchange/prices', outcome: 'done', rows: 3 }] });
  expect(report.requests).toMatchObject({ exchange: { requests: 2, computeUnits: 14 } });

  const project = await openProject(settings, { declared: streams, signal });
  const opened = await project.openSources();
  try {
    const rows = await project.warehouse.query('SELECT coin, "day", price FROM raw.exchange_prices ORDER BY "day"');
    expect(rows.map(({ coin, day, price }) => `${coin} ${day} ${price}`)).toEqual([
      'avax 0 0.10',
      'avax 1 1.10',
      'avax 2 2.10',
    ]);
    expect(await project.warehouse.query('SELECT source, units FROM firn.quota')).toEqual([
      { source: 'exchange', units: 14n },
    ]);
    const planned = planStreams(settings, streams);
    const resolved = await project.askNetwork(planned, opened.fetch);
    expect(resolved.network).toEqual({ networkId: null, network: 'unknown', hrp: 'custom', chains: [] });
    const plans = await planSync({ warehouse: project.warehouse, planned, ...resolved, fetch: opened.fetch });
    expect(plans).toMatchObject([{ stream: 'exchange/prices', partition: 'coin=avax', computeUnits: 7 }]);
  } finally {
    await opened.close();
    project.close();
  }
});

test('what it says of itself is found out, and a key that is wrong is told', async () => {
  const { settings } = await setUp();
  const planned = planStreams(settings, streams);
  const ask = (key: string) =>
    probeSources({
      declared,
      sources: { exchange: { ...settings.sources['exchange'], key } },
      chains: [],
      streams: () => planned,
      signal,
    });
  const { findings, offers } = await ask('k-123456789');
  expect(offers['exchange']?.listed).toEqual([{ chainId: '7', isTestnet: false }]);
  expect(findings.map(({ about, state }) => `${about}: ${state}`)).toEqual([
    'chains: ok',
    'exchange/prices avax: ok',
    'key: ok',
  ]);
  const wrong = await ask('another-key');
  expect(wrong.findings).toContainEqual(expect.objectContaining({ about: 'key', state: 'refused' }));
});

test('editors know what the configuration may say of it, and a name that nobody declares is refused', () => {
  expect(configJsonSchema(streams)).toMatchObject({
    properties: { sources: { properties: { exchange: { properties: { quota: {}, key: {} } } } } },
  });
  const given = { sources: { exchange: { url: 'http://127.0.0.1:1' } }, pipelines: {} };
  expect(settingsSchema(declared).safeParse(given).success).toBe(true);
  expect(settingsSchema(sources).safeParse(given).error?.issues).toMatchObject([{ code: 'unrecognized_keys' }]);
});
