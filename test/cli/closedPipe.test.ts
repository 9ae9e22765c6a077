import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { mainFile } from '../../src/load/packageFiles.ts';

/** Runs a line of the shell in which $FIRN is the command line. */
function shell(line: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
    env: { ...process.env, FIRN: `${process.execPath} ${mainFile()}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.err += text;
  });
  return new Promise((done) => child.once('close', (code) => done({ code, ...said })));
}

test('a reader that has seen enough ends nothing, and nothing is said of it', async () => {
  expect(await shell('$FIRN --json streams | head -n 1')).toEqual({ code: 0, out: '{\n', err: '' });
  expect(await shell('$FIRN streams --markdown | true')).toEqual({ code: 0, out: '', err: '' });
});

test('the exit code is still that of the work', async () => {
  expect(await shell('$FIRN --json --config /nowhere/firn.yaml status 2>/dev/null | true')).toMatchObject({ code: 2 });
  expect(await shell('$FIRN --config /nowhere/firn.yaml status 2>&1 >/dev/null | true')).toMatchObject({ code: 2 });
});

test.runIf(process.platform === 'linux')('a disk that is full ends with 73 and a sentence', async () => {
  const { code, err } = await shell('$FIRN streams > /dev/full');
  expect([code, err]).toEqual([73, expect.stringMatching(/^firn: Could not write the output: .*ENOSPC/)]);
});
