import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { hookEffects } from './effects.ts';
import { SimClock } from './simClock.ts';

test('no time passes while a file is read, wherever it lies: what is to strike a run strikes it where it waits', async () => {
  const clock = new SimClock(0);
  const effects = hookEffects(clock, async () => {});
  onTestFinished(effects.remove);
  effects.begin(join(await temporary(), 'warehouse'), {});
  clock.after(1000, () => {});
  for (let i = 0; i < 20; i++) await readFile(import.meta.filename);
  expect(clock.true).toBe(0);
  effects.end();
});
