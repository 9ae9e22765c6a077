import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { loadCommands } from '../src/cli/commands/index.ts';
import { createProgram } from '../src/cli/createProgram.ts';
import { some } from './some.ts';

const root = resolve(import.meta.dirname, '..');

/** The program with all its commands, of which each only takes its words. */
let program: Command;
beforeAll(async () => {
  program = createProgram();
  for (const register of await loadCommands()) register(program, () => async () => {});
});

/** Files below a folder whose names end so, with their texts. */
async function textsIn(folder: string, end: string): Promise<(readonly [file: string, text: string])[]> {
  const files = (await readdir(join(root, folder), { recursive: true })).filter((name) => name.endsWith(end)).sort();
  return Promise.all(files.map(async (file) => [join(folder, file), await readFile(join(root, folder, file), 'utf8')]));
}

async function pages() {
  const alone = ['README.md', 'CONTRIBUTING.md', 'examples/README.md'];
  const read = async (file: string) => [file, await readFile(join(root, file), 'utf8')] as const;
  return [...(await Promise.all(alone.map(read))), ...(await textsIn('docs', '.md'))];
}

const block = /^```.*\n([\s\S]*?)^```/gm;

test('every line of the pages that runs firn is one that it takes', async () => {
  // As they are typed, behind a prompt, or by the paths of Node and firn as in a crontab.
  const typedLine = /^(?:(?:\$ )?firn|.*\/main\.js) (.*)$/gm;
  const lines = (await pages()).flatMap(([page, text]) =>
    [...text.matchAll(block)].flatMap(([, code = '']) =>
      [...code.matchAll(typedLine)].map(([, words = '']) => [page, words] as const),
    ),
  );
  expect(lines.length).toBeGreaterThan(30);
  for (const [page, words] of lines) {
    const [command = ''] = words.split(/ [#|>]/);
    const typed = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    await expect(program.parseAsync(typed, { from: 'user' }), `${page}: ${words}`).resolves.toBe(program);
  }
});

test('every command and option that the pages and the messages name is there', async () => {
  const named = (await pages()).flatMap(([page, text]) =>
    [...text.replaceAll(block, '').matchAll(/`firn ([^`\n]+)`/g)].map(([, words = '']) => [page, words] as const),
  );
  const said = (await textsIn('src', '.ts')).flatMap(([file, text]) =>
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
