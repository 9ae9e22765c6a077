import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { runHere } from './cliHarness.ts';
import { publishedSample } from './publishedSample.ts';

/** A warehouse as it is handed over, without the state. */
let handed: string;
beforeAll(async () => {
  const { warehouse } = await publishedSample();
  handed = join(await temporary(), 'warehouse');
  await cp(warehouse, handed, { recursive: true });
  await rm(join(handed, '.state'), { recursive: true });
});

/** Runs a command in a folder where there is no configuration. */
async function inEmptyFolder(...args: string[]) {
  const before = process.cwd();
  process.chdir(await temporary());
  onTestFinished(() => process.chdir(before));
  return runHere(args);
}

const showing = [
  ['query', 'SELECT count(*) FROM mart.metric'],
  ['report', '--out', '-'],
  ['status'],
  ['dictionary'],
  ['dbt-project'],
];

test.each(showing)('%s shows a warehouse that was handed over, without a configuration', async (...command) => {
  const { code, out, err } = await inEmptyFolder('--warehouse', handed, ...command);
  expect([code, out, err]).toEqual([0, expect.stringMatching(/./), '']);
});

/** These need more of a warehouse than the sample has. */
const lookingDeeper = [['verify'], ['reconcile', '--explain', '43112', 'txCount', '2026-01-05']];

test.each(lookingDeeper)('%s looks at a warehouse without a configuration, too', async (...command) => {
  const { err } = await inEmptyFolder('--warehouse', await temporary(), ...command);
  expect(err).toMatch(/^firn: Nothing was published.*name the folder in which the warehouse is\.$/m);
});

test.each([...showing, ...lookingDeeper, ['serve']])('%s says that the folder is enough', async (...command) => {
  const { code, err } = await inEmptyFolder(...command);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/There is no configuration .*folder of a warehouse with --warehouse/),
  ]);
});

test.each([
  ['a configuration that is named', ['--config', 'other.yaml', 'query', 'SELECT 1']],
  ['a run', ['run']],
  ['what is compared again', ['reconcile']],
  ['a check, which counts pipelines and an age', ['status', '--check']],
  ['a message', ['status', '--notify']],
  ['a textfile', ['status', '--prometheus', '-']],
])('%s has to be there', async (_, command) => {
  const { code, err } = await inEmptyFolder('--warehouse', handed, ...command);
  expect([code, err]).toEqual([2, expect.stringMatching(/There is no configuration .*firn init/)]);
});
