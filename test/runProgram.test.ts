import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { FirnError } from '../src/core/firnError.ts';
import { packageRoot } from '../src/load/packageFiles.ts';
import { runProgram } from './runProgram.ts';

const said: string[] = [];
for (const name of ['log', 'error'] as const)
  vi.spyOn(console, name).mockImplementation((line) => void said.push(line));
afterEach(() => said.splice(0));

const options = { rounds: { type: 'string', default: '2' } } as const;
const run = (...args: string[]) =>
  runProgram(
    'the usage',
    options,
    async ({ rounds }) => {
      if (rounds === '0') throw new FirnError('usage', 'No rounds.');
      if (rounds === '9') throw new FirnError('failed', 'It failed.');
      return Number(rounds);
    },
    args,
  );

test.each([
  [[], 2, []],
  [['--rounds', '7'], 7, []],
  [['--rounds', '7', '--help'], 0, ['the usage']],
  [['--rounds', '0'], 2, ['No rounds.\n\nthe usage']],
  [['--rounds', '9'], 1, ['It failed.']],
  [['--other'], 2, [expect.stringMatching(/^Unknown option '--other'.*\n\nthe usage$/s)]],
  [['stray'], 2, [expect.stringMatching(/^Unexpected argument 'stray'.*\n\nthe usage$/s)]],
] as const)('called with %j it ends with %i', async (args, code, lines) => {
  expect(await run(...args)).toBe(code);
  expect(said).toEqual(lines);
});

test.each([
  ['proof', '--count'],
  ['sim', '--days'],
  ['bench', '--rounds'],
  ['cluster/proof', '--rounds'],
])('%s says what it can be told, and refuses %s without a number', { tags: 'long' }, async (program, option) => {
  const call = (...args: string[]) =>
    promisify(execFile)(process.execPath, [`${packageRoot()}/dist/test/${program}/main.js`, ...args]);
  expect((await call('--help')).stdout).toContain(`[${option} `);
  await expect(call(option, 'x')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${option} x: write a whole number above zero.`),
  });
});
