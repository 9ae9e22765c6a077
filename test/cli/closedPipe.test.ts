import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { mainFile } from '../../src/load/packageFiles.ts';
import { temporary } from '../temporaryFolders.ts';

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

test('a reader that has seen enough ends nothing, and nothing is said of it', { tags: 'long' }, async () => {
  expect(await shell('$FIRN --json streams | head -n 1')).toEqual({ code: 0, out: '{\n', err: '' });
  expect(await shell('$FIRN streams --markdown | true')).toEqual({ code: 0, out: '', err: '' });
});

test('the exit code is still that of the work', { tags: 'long' }, async () => {
  expect(await shell('$FIRN --json --config /nowhere/firn.yaml status 2>/dev/null | true')).toMatchObject({ code: 2 });
  expect(await shell('$FIRN --config /nowhere/firn.yaml status 2>&1 >/dev/null | true')).toMatchObject({ code: 2 });
});

test.runIf(process.platform === 'linux')(
  'a disk that is full ends with 73 and a sentence',
  { tags: 'long' },
  async () => {
    const { code, err } = await shell('$FIRN streams > /dev/full');
    expect([code, err]).toEqual([73, expect.stringMatching(/^firn: Could not write the output: .*ENOSPC/)]);
  },
);

test.runIf(process.platform === 'linux')(
  'where it is stderr that a full disk does not take, stdout tells, with --json by one document',
  { tags: 'long' },
  async () => {
    const { code, out } = await shell('$FIRN --config /nowhere/firn.yaml status 2>/dev/full');
    expect([code, out]).toEqual([73, expect.stringMatching(/^firn: Could not write to stderr: .*ENOSPC.*\.\n$/)]);
    for (const [line, message] of [
      ['nothing', /^Could not write to stderr: /],
      ['--config /nowhere/firn.yaml status', /^There is no configuration/],
    ] as const) {
      const told = await shell(`$FIRN --json ${line} 2>/dev/full`);
      expect([told.code, JSON.parse(told.out)]).toMatchObject([
        73,
        { error: { message: expect.stringMatching(message) } },
      ]);
    }
  },
);

test.runIf(process.platform === 'linux')(
  'a log on a disk that is full ends no command that stays',
  { tags: 'long' },
  async () => {
    const config = join(await temporary(), 'firn.yaml');
    await writeFile(config, 'sources: {}\npipelines: {}');
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [mainFile(), '--config', config, '--json', 'serve', '--port', '0'], {
      stdio: ['ignore', 'pipe', full.fd],
    });
    await once(child.stdout as Readable, 'data');
    // It says on stderr that it heard of this.
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    await full.close();
  },
);
