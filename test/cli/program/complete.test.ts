import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { complete } from '../../../src/cli/program/complete.ts';
import { completionScripts } from '../../../src/cli/tasks/completionScripts.ts';
import { temporary } from '../../temporaryFolders.ts';
import { runHere } from '../cliHarness.ts';
import { completedIn } from '../completedIn.ts';

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
  ['a value behind an equals sign', ['run', '--select=node/evm_b'], ['--select=node/evm_blocks']],
  ['a value that bash divides from it', ['schedule', '--print', '=', 'c'], ['cron']],
  ['nothing for an option that takes none', ['run', '--json=r'], []],
  ['streams of an argument', ['backfill', 'node/cont'], ['node/containers']],
  ['streams of a command in a group', ['state', 'reset', 'node/cont'], ['node/containers']],
  ['streams after an option whose value may be left out', ['backfill', '--wait', 'node/cont'], ['node/containers']],
  ['metrics', ['reconcile', '--explain', '43114', 'txC'], ['txCount']],
  ['nothing where a chain is wanted', ['reconcile', '--explain', ''], []],
  ['nothing where a bucket is wanted', ['reconcile', '--explain', '43114', 'txCount', ''], []],
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
  const config = join(await temporary(), 'firn.yaml');
  await writeFile(config, 'sources: {}\npipelines: { nightly: { streams: {} }, hourly: { streams: {} } }');
  for (const given of [['-c', config], [`--config=${config}`], [`-c${config}`]])
    expect(await words(...given, 'run', '--pipeline', '')).toEqual(['nightly', 'hourly']);
  await writeFile(config, 'sources: [');
  expect(await runHere(['__complete', '-c', config, 'run', '--pipeline', ''])).toMatchObject({
    code: 0,
    out: '',
    err: '',
  });
});

/** Skips a test where a shell is missing, and says so: nothing else would show that its script was never run. */
async function needs(shell: string, skip: (note: string) => void): Promise<void> {
  await promisify(execFile)(shell, ['-c', 'true']).catch(() => {
    const note = `${shell} is not installed: its completion is not tested (apt-get install ${shell})`;
    console.warn(note);
    skip(note);
  });
}

/** A folder with a `firn` that knows one stream, a shell's script, and a file. */
async function withScript(shell: 'bash' | 'zsh' | 'fish'): Promise<string> {
  const folder = await temporary();
  const { out } = await runHere(['completion', shell]);
  expect(out).toBe(completionScripts[shell]);
  await writeFile(join(folder, 'completion'), out);
  await writeFile(join(folder, 'page.html'), '');
  const asked = [
    '[ "$*" = "__complete sync -s node/" ] && printf "node/evm_blocks\\tBlocks: C-Chain\\n"',
    '[ "$*" = "__complete sync --select=node/" ] && printf -- "--select=node/evm_blocks\\tBlocks: C-Chain\\n"',
    '[ "$*" = "__complete completion " ] && printf "zsh\\t\\n"',
  ].join('\n');
  await writeFile(join(folder, 'firn'), `#!/bin/sh\n${asked}\nexit 0\n`);
  await chmod(join(folder, 'firn'), 0o755);
  return folder;
}

test('bash asks for what stands before the cursor', async ({ skip }) => {
  await needs('bash', skip);
  const folder = await withScript('bash');
  const script = `. ./completion; COMP_WORDS=(./firn sync -s node/ later); COMP_CWORD=3; _firn ./firn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
  expect(stdout).toBe('node/evm_blocks\n');
});

test('zsh completes words, and files where firn knows none', { tags: 'long' }, async ({ skip }) => {
  await needs('zsh', skip);
  expect(await completedIn('zsh', await withScript('zsh'), 'firn sync -s node/')).toBe('firn sync -s node/evm_blocks');
  expect(await completedIn('zsh', await withScript('zsh'), 'firn sync --select=node/')).toBe(
    'firn sync --select=node/evm_blocks',
  );
  expect(await completedIn('zsh', await withScript('zsh'), 'firn report --out pa')).toBe('firn report --out page.html');
  expect(await completedIn('zsh', await withScript('zsh'), 'firn completion ')).toBe('firn completion zsh');
});

test('fish completes words with what they are, and files where firn knows none', async ({ skip }) => {
  await needs('fish', skip);
  const folder = await withScript('fish');
  expect(await completedIn('fish', folder, 'firn sync -s node/')).toBe('node/evm_blocks\tBlocks: C-Chain');
  expect(await completedIn('fish', folder, 'firn sync --select=node/')).toBe(
    '--select=node/evm_blocks\tBlocks: C-Chain',
  );
  expect(await completedIn('fish', folder, 'firn report --out pa')).toBe('page.html');
  expect(await completedIn('fish', folder, 'firn report --out=pa')).toBe('--out=page.html');
  expect(await completedIn('fish', folder, 'firn completion ')).toBe('zsh');
});
