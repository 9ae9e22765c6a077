import { Command } from 'commander';
import { readLedger } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { devnetCommand } from '../../src/cli/commands/devnet.ts';
import { type Console, createConsole } from '../../src/cli/terminal/console.ts';

const recording = 'test/fixtures/node-ledger-signed';

/** Runs the command here until the test ends. @returns where its network is */
function running(...flags: readonly string[]): Promise<string> {
  const stop = new AbortController();
  return new Promise((told, failed) => {
    const program = new Command();
    devnetCommand(program, (action) => async (...args) => {
      const global = { config: '' };
      const console = createConsole(global);
      const data: Console['data'] = (_, value) => told((value as { url: string }).url);
      await action({ global, console: { ...console, data, print() {} }, signal: stop.signal }, ...args);
      console.close();
    });
    const command = ['node', 'firn', 'devnet', '--port', '0', '--ledger', recording, ...flags];
    const ended = program.parseAsync(command).catch(failed);
    onTestFinished(async () => {
      stop.abort();
      await ended;
    });
  });
}

test('firn devnet --gaps takes several places, which its index lacks', async () => {
  const url = await running('--gaps', 'P/block:5-9', 'P/block:11');
  const call = { method: 'index.getContainerRange', params: { startIndex: 0, numToFetch: 7, encoding: 'hex' } };
  const answer = await fetch(`${url}/ext/index/P/block`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
  });
  const { result } = (await answer.json()) as { result: { containers: { id: string }[] } };
  const { p } = await readLedger(recording);
  const held = [1, 2, 3, 4, 10, 12, 13].map((height) => p.blocks[height]?.container?.id);
  expect(result.containers.map(({ id }) => id)).toEqual(held);
});

test.each([
  ['--faults', '500=1', '/v1/chains', 500],
  ['--without', 'index', '/ext/index/C/block', 404],
])('firn devnet %s %s answers %s with %i', async (flag, value, path, status) => {
  const statusOf = async (url: string) => (await fetch(url + path)).status;
  expect(await statusOf(await running())).not.toBe(status);
  expect(await statusOf(await running(flag, value))).toBe(status);
});

test.each(['--quota', '--quota-day'])('firn devnet %s 1 takes a request, and none beyond it', async (flag) => {
  const url = await running(flag, '1');
  const statuses: number[] = [];
  for (let asked = 0; asked < 3; asked++) statuses.push((await fetch(`${url}/v1/chains`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
});
