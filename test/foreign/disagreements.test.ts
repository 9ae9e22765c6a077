import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import * as disagreements from './disagreements.ts';

// docs/trust.md tells what is not as others have it. Whether it is so, `npm run test:foreign` says.
test('docs/trust.md names every disagreement with its reason', async () => {
  const page = await readFile(join(resolve(import.meta.dirname, '..', '..'), 'docs', 'trust.md'), 'utf8');
  const rows = Object.values(disagreements).flatMap((list) => Object.entries(list));
  const missing = rows.map(([what, why]) => `| \`${what}\` | ${why} |`).filter((line) => !page.includes(line));
  expect(missing).toEqual([]);
});
