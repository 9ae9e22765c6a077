import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, localServer } from '../../extract/localServer.ts';
import { type Project, project } from '../cliHarness.ts';

const nowhere = { url: 'http://127.0.0.1:1' };
const sources = { node: nowhere, data: { ...nowhere, network: 'fuji' } };

let typed: Project | undefined;

test.each([
  'state',
  'state reset data/chains',
  'state drop --keep 90d',
  'quarantine',
  'quarantine replay',
  'quarantine accept --all --reason lost',
  'verify --evidence',
  'verify --against-source',
  'export status',
  'export wait',
  'export download',
  'build',
  'reconcile',
  'publish',
])('firn %s makes no warehouse where the name of its folder is mistyped', async (line) => {
  const pipelines = { main: { streams: { 'data/chains': {} } } };
  typed ??= await project({ sources, pipelines });
  const wrong = join(typed.folder, 'warehuose');
  const { code, out, err } = await typed.firn('--warehouse', wrong, ...line.split(' '));
  const why = `firn: Nothing was read into ${wrong} yet (${join(wrong, '.state', 'firn.duckdb')} is missing). Run \`firn run\`, or name the right folder with --warehouse.\n`;
  expect([code, out, err]).toEqual([1, '', why]);
  expect(existsSync(wrong)).toBe(false);
});

test('what reads or asks for something may be the first in a warehouse, and so may tables of your own', {
  tags: 'long',
}, async () => {
  const { url } = await localServer((response) => json(response, 400, { message: 'no' }));
  const of = await project(
    { sources: { data: { url, network: 'fuji' } }, pipelines: { main: { streams: { 'data/chains': {} } } } },
    { isNew: true },
  );
  const address = `0x${'ab'.repeat(20)}`;
  for (const [at, args] of [
    ['plan'],
    ['sign', 'message', '--message', '01'],
    ['export', 'start', '--type', 'evm', '--address', address, '--chain', '43113'],
  ].entries()) {
    const { out, err } = await of.firn('--warehouse', join(of.folder, String(at)), ...args);
    expect(out + err).toMatch(/answered 400/);
  }
  const refs = join(of.folder, 'own', 'refs');
  await mkdir(refs, { recursive: true });
  await writeFile(join(refs, 'prices.csv'), 'day,usd\n2026-01-01,17.25\n');
  expect((await of.firn('--warehouse', join(of.folder, 'own'), 'publish')).code).toBe(0);
});
