import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { readConfigured } from '../../src/cli/config/configured.ts';
import { tellLineage } from '../../src/cli/runs/tellLineage.ts';
import { createConsole } from '../../src/cli/terminal/console.ts';
import type { RunReport } from '../../src/run/records/runReport.ts';
import { listening } from '../listening.ts';
import { runEventErrors } from '../run/lineage/runEventErrors.ts';
import { temporary } from '../temporaryFolders.ts';

/** A lineage service that answers with this status. */
async function lineageService(status: number) {
  const taken: { path: string | undefined; token: string | undefined; type: string; job: string }[] = [];
  const server = createServer(async (request, response) => {
    const event = (await json(request)) as { eventType: string; job: { name: string } };
    taken.push({
      path: request.url,
      token: request.headers.authorization,
      type: event.eventType,
      job: event.job.name,
    });
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { taken, url: `${url}/api/secret-path` };
}

const report = {
  runId: '0b7a1c9e-6f0d-4a55-9f0f-3f1c1c1c1c1c',
  command: 'run',
  pipelines: ['primary'],
  startedAt: '2026-03-01T00:00:00.000Z',
  exitCode: 0,
  partitions: [],
  models: [{ name: 'mart.metric_daily', kind: 'table', rows: 7, seconds: 0.5, hash: 'h' }],
  problems: [],
} as unknown as RunReport;

/** What a run that is over tells, by a configuration with this lineage; and what is said on stderr. */
async function told(lineage: object) {
  const folder = await temporary();
  await writeFile(join(folder, 'firn.yaml'), stringify({ sources: {}, pipelines: {}, lineage }));
  let err = '';
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  try {
    const config = join(folder, 'firn.yaml');
    await tellLineage(await readConfigured({ config }), createConsole({ config, quiet: true }), report);
  } finally {
    stderr.mockRestore();
  }
  return { folder, err };
}

test('the run and every model that it built are posted to the endpoint', async () => {
  const { taken, url } = await lineageService(201);
  const { err } = await told({ url, headers: { authorization: 'Bearer t' } });
  expect(err).toBe('');
  expect(taken.map(({ type, job }) => `${type} ${job}`)).toEqual([
    'START run.primary',
    'COMPLETE run.primary',
    'START mart.metric_daily',
    'COMPLETE mart.metric_daily',
  ]);
  expect(taken[0]).toMatchObject({ path: '/api/secret-path', token: 'Bearer t' });
});

test('or appended to a file beside the configuration, one a line', async () => {
  const { folder, err } = await told({ file: 'logs/lineage.jsonl' });
  const lines = (await readFile(join(folder, 'logs/lineage.jsonl'), 'utf8')).trim().split('\n');
  expect([err, lines.length]).toEqual(['', 4]);
  for (const line of lines) expect(runEventErrors(JSON.parse(line))).toEqual([]);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ eventType: 'COMPLETE', run: { runId: report.runId } });
});

test.each([500, 302, 404])(
  'an endpoint that answers %d is asked no more, and is a remark without its path',
  async (status) => {
    const { taken, url } = await lineageService(status);
    const { err } = await told({ url });
    expect(taken.length).toBe(1);
    expect(err).toContain('The lineage of this run could not be written to 127.0.0.1:');
    expect(err).not.toContain('secret-path');
  },
);

test('so is one that is down, a variable that is not set, and a file that cannot be written', async () => {
  const down = await told({ url: 'http://127.0.0.1:9/secret-path' });
  expect([down.err.includes('127.0.0.1:9'), down.err.includes('secret-path')]).toEqual([true, false]);
  const unset = await told({ url: `\${env:${'FIRN_NO_SUCH_VARIABLE'}}` });
  expect(unset.err).toContain('FIRN_NO_SUCH_VARIABLE, which is not set');
  const file = await told({ file: 'firn.yaml/lineage.jsonl' });
  expect(file.err).toContain(join(file.folder, 'firn.yaml'));
  expect(existsSync(join(file.folder, 'firn.yaml/lineage.jsonl'))).toBe(false);
});

test('another kind of lineage is refused with what to write', async () => {
  await expect(told({ to: 'somewhere' })).rejects.toThrow('write { url } or { file }');
});
