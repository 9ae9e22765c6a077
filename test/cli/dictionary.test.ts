/** @module-tag long */
import { existsSync } from 'node:fs';
import { link, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { project } from './cliHarness.ts';

test('the dictionary goes to a file, or for - to stdout, with --json too', async () => {
  const { firn, folder } = await project({ sources: {} });
  const [file, before] = [join(folder, 'dictionary.md'), join(folder, 'before.md')];
  await writeFile(file, 'before');
  await link(file, before);
  expect(await firn('dictionary', '--out', file)).toMatchObject({ code: 0, out: '' });
  // A reader sees the old text or the new one.
  expect(await readFile(before, 'utf8')).toBe('before');
  const text = await readFile(file, 'utf8');
  expect(text).toContain('raw.node_containers');
  const { code, out } = await firn('--json', 'dictionary', '--out', '-');
  expect([code, out.trimEnd()]).toEqual([0, text.trimEnd()]);
  expect(existsSync('-')).toBe(false);
});

test('a file that cannot be written is told by its name, and what to do is about it', async () => {
  const { firn, folder, config } = await project({ sources: {} });
  for (const [file, why] of [
    [folder, 'EISDIR'],
    [join(config, 'x.md'), 'EEXIST'],
  ] as const) {
    const { code, err } = await firn('dictionary', '--out', file);
    expect([code, err]).toEqual([73, expect.stringContaining(`Could not write ${file}: ${why}`)]);
    expect(err).toMatch(/Name a file that can be written\.\n$/);
    // One document alone.
    expect(JSON.parse((await firn('--json', 'dictionary', '--out', file)).out)).toMatchObject({
      error: { exitCode: 73 },
    });
  }
});

test('it needs no state: without a warehouse it makes none, and it says the same while a run holds one', async () => {
  const { firn, warehouse, open } = await project({ sources: {} }, { isNew: true });
  const { code, out } = await firn('dictionary');
  expect([code, existsSync(warehouse)]).toEqual([0, false]);
  expect(out).toContain('### mart.metric\n');
  const holder = await open();
  onTestFinished(() => holder.close());
  expect(await firn('dictionary')).toMatchObject({ code: 0, out, err: '' });
});
