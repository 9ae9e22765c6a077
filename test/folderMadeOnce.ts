import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { isAlive, ownProcess, type ProcessFacts } from '../src/load/state/processFacts.ts';

const made = new Map<string, Promise<string>>();

/**
 * A folder that is made once in a run, for all test files that come to it: to be copied, not to be changed.
 *
 * @param key tells it from others, also from what the same `fill` makes of something else
 */
export function folderMadeOnce(key: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = made.get(key) ?? make(key, fill);
  made.set(key, folder);
  return folder;
}

/** Workers of a run share its temporary folder (`ownTemporaryFolder.ts`). A program has none, and a run that watches files goes on with other code. */
const place = process.env['VITEST_MODE'] === 'RUN' ? tmpdir() : folderOfProcess();

function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-made-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The first process that comes makes it where it stays (its views hold absolute paths), the others wait. */
async function make(key: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(place, `made-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`);
  const [maker, outcome] = [`${folder}.maker`, `${folder}.outcome`];
  // A link is not there before what it says.
  const isMine = await symlink(JSON.stringify(await ownProcess()), maker).then(
    () => true,
    () => false,
  );
  if (isMine) await fillAndSay(folder, fill, outcome);
  else await madeBy(JSON.parse(await readlink(maker)), outcome);
  const failure = await readFile(outcome, 'utf8');
  if (failure !== '') throw new Error(failure);
  return folder;
}

async function fillAndSay(folder: string, fill: (folder: string) => Promise<void>, outcome: string): Promise<void> {
  const filled = mkdir(folder).then(() => fill(folder));
  await writeFile(`${outcome}.new`, await filled.then(() => '', inspect));
  await rename(`${outcome}.new`, outcome);
}

/** Waits for the outcome. Throws an Error where the process ended without one, as one that was killed does. */
async function madeBy(maker: ProcessFacts, outcome: string): Promise<void> {
  for (;;) {
    const goesOn = await isAlive(maker);
    if (existsSync(outcome)) return;
    if (!goesOn) throw new Error(`Process ${maker.pid} ended before it wrote ${outcome}.`);
    await delay(50);
  }
}
