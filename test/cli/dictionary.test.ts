import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from './cliHarness.ts';

test('the dictionary goes to a file, or for - to stdout, with --json too', async () => {
  const { firn, folder } = await project({ sources: {} });
  const file = join(folder, 'dictionary.md');
  expect(await firn('dictionary', '--out', file)).toMatchObject({ code: 0, out: '' });
  const text = await readFile(file, 'utf8');
  expect(text).toContain('raw.node_containers');
  const { code, out } = await firn('--json', 'dictionary', '--out', '-');
  expect([code, out.trimEnd()]).toEqual([0, text.trimEnd()]);
  expect(existsSync('-')).toBe(false);
});
