import type { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadCommands } from '../../../src/cli/commands/index.ts';
import { createProgram } from '../../../src/cli/program/createProgram.ts';
import { runCli } from '../../../src/cli/program/runCli.ts';
import type { RegisterCommand } from '../../../src/cli/registerCommand.ts';
import { printedHere } from '../cliHarness.ts';

const nothing: RegisterCommand = (program, act) => {
  program.command('nothing').action(act(async () => 0));
};
const open: RegisterCommand = (program, act) => {
  program.command('open').action(
    act(async () => {
      throw new Error("EMFILE: too many open files, open 'metric.sql'");
    }),
  );
};

test('what the system refuses ends a command with a sentence that says what to do', async () => {
  const { code, err } = await printedHere(() => runCli(['node', 'firn', 'open'], async () => [open]));
  expect(code).toBe(1);
  expect(err).toMatch(/may not open more files\. .* ulimit -n 1024, .*metric\.sql/);
});

test.each([
  [
    'warning',
    2,
    /^firn: FIRN_LOG_LEVEL is "warning", which is not a log level\. Did you mean warn\? There are: trace, /,
  ],
  ['silent', 0, /^$/],
  ['', 0, /^$/],
])('FIRN_LOG_LEVEL=%s ends with %d', async (level, expected, said) => {
  vi.stubEnv('FIRN_LOG_LEVEL', level);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, err } = await printedHere(() => runCli(['node', 'firn', 'nothing'], async () => [nothing]));
  expect([code, err]).toEqual([expected, expect.stringMatching(said)]);
});

test('no line of a help is wider than 80 columns', async () => {
  const program = createProgram();
  for (const register of await loadCommands()) register(program, () => async () => {});
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const names = all(program).map((command) => {
    const words = [];
    for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
    return words;
  });
  expect(names.length).toBeGreaterThan(30);
  for (const words of names) {
    const { out } = await printedHere(() => runCli(['node', 'firn', ...words, '--help']));
    expect(out).toContain('Usage: firn');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});
