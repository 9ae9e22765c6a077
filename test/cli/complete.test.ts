import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { completionScripts } from '../../src/cli/completionScripts.ts';
import { temporaryFolder } from '../load/temporaryWarehouse.ts';
import { runHere } from './cliHarness.ts';

/** The words that `firn <line>` may end with. */
const words = async (...line: string[]) =>
  (await complete(line))
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => one.split('\t')[0]);

test.each<[string, string[], string[]]>([
  ['commands', ['re'], ['reconcile', 'report']],
  ['commands after options of the program', ['--json', '-c', 'nowhere.yaml', 'pl'], ['plan']],
  ['commands of a group', ['state', ''], ['list', 'reset', 'drop']],
  ['options of a command and of the program', ['run', '--se'], ['--select']],
  ['options of a program', ['run', '--js'], ['--json']],
  ['choices', ['schedule', '--print', ''], ['cron', 'systemd']],
  ['choices of an argument', ['completion', 'b'], ['bash']],
  ['streams', ['sync', '--select', 'node/evm_b'], ['node/evm_blocks']],
  ['streams of an option that takes many', ['sync', '-s', 'data/chains', 'metrics/'], ['metrics/chain_metrics']],
  ['streams of an argument', ['backfill', 'node/cont'], ['node/containers']],
  ['streams of a command in a group', ['state', 'reset', 'node/cont'], ['node/containers']],
  ['metrics', ['reconcile', '--explain', '43114', 'txC'], ['txCount']],
  ['nothing where a chain is wanted', ['reconcile', '--explain', ''], []],
  ['nothing where a file is wanted: the shell knows them', ['report', '--out', ''], []],
  ['nothing after a command that takes nothing', ['status', ''], []],
])('%s', async (_, line, expected) => {
  expect(await words(...line)).toEqual(expected);
});

test('every command has a description', async () => {
  const lines = (await complete([''])).trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line).toMatch(/^[a-z-]+\t\w/);
});

test('pipelines and own streams come from the configuration; one that is broken completes nothing, and says nothing', async () => {
  const config = join(await temporaryFolder(), 'firn.yaml');
  await writeFile(config, 'sources: {}\npipelines: { nightly: { streams: {} }, hourly: { streams: {} } }');
  expect(await words('-c', config, 'run', '--pipeline', '')).toEqual(['nightly', 'hourly']);
  await writeFile(config, 'sources: [');
  expect(await runHere(['__complete', '-c', config, 'run', '--pipeline', ''])).toMatchObject({
    code: 0,
    out: '',
    err: '',
  });
});

/** A shell's path; undefined where it is not installed. */
const shell = (name: string) =>
  promisify(execFile)('sh', ['-c', `command -v ${name}`]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
const installed = { bash: await shell('bash'), zsh: await shell('zsh'), fish: await shell('fish') };

/** A `firn` that answers with the words that it was asked with. */
async function answering(): Promise<string> {
  const file = join(await temporaryFolder(), 'firn');
  await writeFile(file, '#!/bin/sh\nshift\nprintf "%s\\tx\\n" "asked:$#" "$@"\n');
  await chmod(file, 0o755);
  return file;
}

test.runIf(installed.bash)('bash asks for what stands before the cursor', async () => {
  const { stdout } = await runHere(['completion', 'bash']).then(async ({ out }) => {
    expect(out).toBe(completionScripts.bash);
    const file = await answering();
    const script = `${out}\nCOMP_WORDS=(${file} sync -s node/ later); COMP_CWORD=3; _firn ${file}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return promisify(execFile)('bash', ['-c', script]);
  });
  expect(stdout.trimEnd().split('\n')).toEqual(['asked:3', 'sync', '-s', 'node/']);
});

test.runIf(installed.zsh)('zsh takes its script', async () => {
  await promisify(execFile)('zsh', ['-c', `autoload -U compinit; compinit -D; ${completionScripts.zsh}`]);
});

test.runIf(installed.fish)('fish takes its script', async () => {
  const file = await answering();
  const script = `${completionScripts.fish}\ncomplete --do-complete '${file} sync -s node/'`;
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '--command', script]);
  expect(stdout).toContain('node/\tx');
});
