import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { project } from './cliHarness.ts';
import { startFirn } from './firnProcess.ts';
import { publishedSample } from './publishedSample.ts';

describe('report', () => {
  test('writes one page beside the data', { tags: 'long' }, async () => {
    const { firn, warehouse } = await publishedSample();
    const { code, json } = await firn('--json', 'report');
    expect(code).toBe(0);
    const page = await readFile(join(warehouse, 'report.html'), 'utf8');
    expect(json).toEqual({
      file: join(warehouse, 'report.html'),
      bytes: Buffer.byteLength(page),
      version: 1,
      buckets: expect.objectContaining({ differs: 0, agrees: expect.any(Number) }),
    });
    expect(page).toMatch(/^<!doctype html>/);
    expect((await readdir(warehouse)).filter((name) => name.startsWith('report'))).toEqual(['report.html']);
  });

  test('goes where it is told, and draws the chains it is told', { tags: 'long' }, async () => {
    const { firn, folder } = await publishedSample();
    const file = join(folder, 'new', 'page.html');
    expect((await firn('report', '--out', file, '--chain', '99999')).code).toBe(0);
    const page = await readFile(file, 'utf8');
    expect([page.includes('id="m-99999-txCount-day"'), page.includes('id="m-43112-txCount-day"')]).toEqual([
      true,
      false,
    ]);
    const { out } = await firn('report', '--out', '-');
    expect(out).toContain('id="m-43112-txCount-day"');
    expect((await firn('report', '--out', folder)).code).toBe(73);
  });

  test('says what to do where nothing was published', async () => {
    const { firn } = await project({ sources: {} });
    expect(await firn('report')).toMatchObject({ code: 1, err: expect.stringContaining('firn run') });
  });
});

describe('serve', () => {
  test('shows each version as soon as it is published, to this machine, until it is stopped', {
    tags: 'long',
  }, async () => {
    const { folder, republish, firn } = await publishedSample();
    const { child, ended, written } = startFirn([
      '--config',
      join(folder, 'firn.yaml'),
      '--json',
      'serve',
      '--port',
      '0',
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    while (!written.stdout.includes('}')) await new Promise((soon) => setTimeout(soon, 20));
    const { url } = JSON.parse(written.stdout) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const runs = async () =>
      ((await (await fetch(`${url}/report.json`)).json()) as { runs: { runId: string }[] }).runs.length;
    expect(await runs()).toBe(2);
    expect(await (await fetch(url)).text()).toContain('<h1');
    await republish(`DELETE FROM firn.run WHERE run_id = 'r1'`);
    expect(await runs()).toBe(1);
    const taken = await firn('serve', '--port', new URL(url).port);
    expect(taken).toMatchObject({ code: 2, err: expect.stringContaining('Name another port') });
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });
});
