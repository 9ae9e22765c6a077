/** @module-tag long */
import { createServer } from 'node:http';
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { listening } from '../../listening.ts';

test('a served bucket that is missing below others later is withdrawn until it comes again, and keeps its value', async () => {
  const [devnet, lacking] = await Promise.all(
    [undefined, Date.parse('2026-01-30T00:00:00Z') / 1000].map((bucket) =>
      startDevnet({ head: '20%', ...(bucket && { servedFaults: [{ name: 'bucket_missing' as const, bucket }] }) }),
    ),
  );
  onTestFinished(async () => void (await Promise.all([devnet?.close(), lacking?.close()])));
  const configuration = ({ url }: { url: string }) => ({
    sources: sourcesOf({ url }),
    pipelines: {
      main: {
        streams: {
          'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false },
          'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'] },
        },
      },
    },
  });
  if (!devnet || !lacking) throw new TypeError('no devnet');
  const { firn, configure, query } = await project(configuration(devnet));
  const again = async (days = '2026-01-28..2026-02-02') =>
    (await firn('--json', 'backfill', 'metrics/chain_metrics', '--again', days)).json.partitions[0].notes;
  const values = () =>
    query('SELECT * EXCLUDE (_load_id, withdrawn) FROM raw.metrics_chain_metrics ORDER BY "timestamp"');
  const withdrawn = () =>
    query('SELECT "timestamp", value_text, withdrawn FROM raw.metrics_chain_metrics WHERE withdrawn');
  const verdict = () =>
    query(
      `SELECT verdict, note, served_text FROM mart.reconciliation WHERE metric = 'txCount' AND bucket = TIMESTAMP '2026-01-30'`,
    );
  expect(await firn('run')).toMatchObject({ code: 0 });
  expect(await again()).toBeUndefined();
  const before = await values();
  const equal = await verdict();
  expect(equal).toEqual([{ verdict: 'equal', note: null, served_text: '42' }]);

  await configure(configuration(lacking));
  expect(await again()).toEqual([
    expect.stringMatching(/^1 value that was served before is missing .*, from 2026-01-30 00:00:00 UTC on\. /),
  ]);
  expect(await values()).toEqual(before);
  expect(await withdrawn()).toEqual([{ timestamp: '2026-01-30 00:00:00', value_text: '42', withdrawn: true }]);
  expect(await again()).toBeUndefined();
  expect(await firn('run')).toMatchObject({ code: 0 });
  expect(await verdict()).toEqual([{ verdict: 'served_missing', note: 'was served before, as 42', served_text: null }]);
  const { out } = await firn('reconcile', '--explain', '43112', 'txCount', '2026-01-30');
  expect(out).toMatch(/^served +nothing any more$/m);
  expect(out).toMatch(/^revisions +42 \(.*\) -> nothing any more \(.*\)$/m);
  expect(await firn('verify')).toMatchObject({ code: 0 });

  await configure(configuration(devnet));
  expect(await again()).toBeUndefined();
  expect(await firn('run')).toMatchObject({ code: 0 });
  expect(await withdrawn()).toEqual([]);
  expect(await verdict()).toEqual(equal);

  await configure(configuration(lacking));
  expect(await again('2026-01-28..2026-01-30')).toBeUndefined();
  expect(await again('2026-01-30..2026-02-02')).toHaveLength(1);
  expect(await withdrawn()).toHaveLength(1);
});

test('a series that was dropped and is then served empty is noted as asked for, once', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const answering = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json').end('{"results": []}');
  });
  const empty = await listening(answering);
  onTestFinished(empty.close);
  const configuration = (url: string) => ({
    sources: { metrics: { url } },
    pipelines: {
      main: {
        streams: { 'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'] } },
      },
    },
  });
  const { firn, configure, query } = await project(configuration(devnet.url));
  expect((await firn('sync')).code).toBe(0);
  expect((await firn('state', 'drop', 'metrics/chain_metrics')).code).toBe(0);
  await configure(configuration(empty.url));
  for (const _ of ['first', 'second']) {
    expect((await firn('sync')).code).toBe(0);
    expect(
      await query(
        'SELECT (SELECT count(*) FROM firn.load WHERE rows_written = 0) AS loads, (SELECT count(*) FROM firn.begun) AS begun',
      ),
    ).toEqual([{ loads: 1n, begun: 1n }]);
  }
});
