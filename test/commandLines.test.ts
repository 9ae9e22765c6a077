import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { loadCommands } from '../src/cli/commands/index.ts';
import { createProgram } from '../src/cli/program/createProgram.ts';
import { blockPattern, blocksOf, filesIn, readPages } from './pages.ts';
import { some } from './some.ts';

/** The program with all its commands, of which each only takes its words. */
let program: Command;
beforeAll(async () => {
  program = createProgram();
  for (const register of await loadCommands()) register(program, () => async () => {});
});

test('every line of the pages that runs firn is one that it takes', async () => {
  // As they are typed, behind a prompt, or by the paths of Node and firn as in a crontab.
  const typedLine = /^(?:(?:\$ )?firn|.*\/main\.js) (.*)$/gm;
  const blocks = (await readPages()).flatMap(blocksOf);
  const lines = blocks.flatMap(({ place, text }) =>
    [...text.matchAll(typedLine)].map(([, words = '']) => [place, words] as const),
  );
  expect(lines.length).toBeGreaterThan(30);
  for (const [place, words] of lines) {
    const [command = ''] = words.split(/ [#|>]/);
    const typed = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    await expect(program.parseAsync(typed, { from: 'user' }), `${place}: ${words}`).resolves.toBe(program);
  }
});

test('every command and option that the pages and the messages name is there', async () => {
  const named = (await readPages()).flatMap(({ file, text }) =>
    [...text.replaceAll(blockPattern, '').matchAll(/`firn ([^`\n]+)`/g)].map(
      ([, words = '']) => [file, words] as const,
    ),
  );
  const said = (await filesIn('src', '.ts')).flatMap(({ file, text }) =>
    [...text.matchAll(/\bfirn ((?:--[a-z-]+ )*[a-z-]+(?: [a-z]+)?(?: --[a-z-]+)+)/g)].map(
      ([, words = '']) => [file, words] as const,
    ),
  );
  expect(said.length).toBeGreaterThan(10);
  for (const [place, words] of [...some(named), ...said]) {
    const typed = words.split(' ');
    let command = program;
    for (const word of typed.filter((one) => /^[a-z]/.test(one))) {
      if (command.commands.length === 0) break;
      const inner = command.commands.find((one) => one.name() === word);
      expect(inner, `${place}: firn ${words}`).toBeDefined();
      command = inner ?? command;
    }
    const known = [command, command.parent ?? command, program].flatMap(({ options }) =>
      options.flatMap(({ long, short }) => [long, short]),
    );
    for (const option of typed.filter((one) => one.startsWith('-')))
      expect(known, `${place}: firn ${words}`).toContain(option);
  }
});
