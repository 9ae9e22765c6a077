import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, ownProcess } from '../../../src/load/state/processFacts.ts';

test('this process is there, and one that had its number before is not', async () => {
  const own = await ownProcess();
  expect(await isAlive(own)).toBe(true);
  expect(await isAlive({ ...own, birth: '1' })).toBe(process.platform !== 'linux');
});

test.runIf(process.platform === 'linux')(
  'a process that was killed is gone, also where its parent never asks how it ended',
  async () => {
    // The shell becomes a program that knows nothing of its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill());
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const { host, space } = await ownProcess();
    const pid = Number(said);
    const stat = () => readFile(`/proc/${pid}/stat`, 'utf8');
    const child = { pid, host, space, birth: (await stat()).split(' ')[21] };
    expect(await isAlive(child)).toBe(true);
    await vi.waitFor(async () => expect(await readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await stat()).toContain(') Z '));
    expect(await isAlive(child)).toBe(false);
  },
);
