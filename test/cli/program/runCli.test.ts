import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli } from '../../../src/cli/program/runCli.ts';
import type { RegisterCommand } from '../../../src/cli/registerCommand.ts';

const open: RegisterCommand = (program, act) => {
  program.command('open').action(
    act(async () => {
      throw new Error("EMFILE: too many open files, open 'metric.sql'");
    }),
  );
};

test('what the system refuses ends a command with a sentence that says what to do', async () => {
  let said = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  onTestFinished(() => write.mockRestore());
  expect(await runCli(['node', 'firn', 'open'], async () => [open])).toBe(1);
  expect(said).toMatch(/may not open more files\. .* ulimit -n 1024, .*metric\.sql/);
});
