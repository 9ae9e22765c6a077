import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadCommands } from '../../src/cli/commands/index.ts';
import { documents } from '../../src/cli/json/documents.ts';
import { createProgram } from '../../src/cli/program/createProgram.ts';
import { some } from '../some.ts';
import { projectRoot } from './firnProcess.ts';

const folder = join(projectRoot, 'docs', 'json');
const fileOf = (command: string) => `${command.replaceAll(' ', '-')}.json`;

// `npm run docs:json` writes the files again.
test.each(Object.entries(documents))('docs/json has the schema of %s', async (command, document) => {
  const schema = z.toJSONSchema(document, { io: 'output' });
  const text = `${JSON.stringify({ title: `firn --json ${command}`, ...schema }, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(folder, fileOf(command)));
});

test('docs/json has nothing else', () => {
  const known = Object.keys(documents).map(fileOf);
  expect(some(readdirSync(folder)).filter((file) => !known.includes(file))).toEqual([]);
});

test('every command has a document', async () => {
  const program = createProgram();
  for (const register of await loadCommands()) register(program, () => async () => {});
  const leaves = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands.map((sub) => `${command.name()} ${sub.name()}`) : [command.name()],
  );
  expect(['error', ...leaves].sort()).toEqual(Object.keys(documents).sort());
});

test('names are in camel case', () => {
  const wrong = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^ *"(\w*_\w*)": \{/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  // Links of evidence and their verdicts are names of data, spelled as in the tables.
  expect(wrong.filter((name) => !/not_covered|not_applicable|atomic_data/.test(name))).toEqual([]);
});
