import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

/** A new folder outside of the checkout, so that nothing is found there by chance. */
export const newFolder = (name) => mkdtempSync(join(tmpdir(), `firn-${name}-`));

/** Runs a command and shows what it prints; ends the process where it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status === 0) return;
  console.error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ` with ${status}`}`);
  process.exit(1);
}

/** A new virtual environment in the folder, and the environment variables with which its commands are found first. */
export function virtualEnvironment(folder) {
  run('python3', ['-m', 'venv', join(folder, 'venv')]);
  const bin = join(folder, 'venv', process.platform === 'win32' ? 'Scripts' : 'bin');
  const { FIRN_DATABASE: _, ...environment } = process.env;
  return { ...environment, PATH: `${bin}${delimiter}${process.env['PATH']}` };
}

/** The lines of the shell block of a page that stands below a heading. */
export function shellLines(page, heading) {
  const text = readFileSync(join(root, page), 'utf8');
  const [, block] = text.slice(text.indexOf(`\n${heading}\n`)).match(/```sh\n([\s\S]*?)```/) ?? [];
  if (!block) throw new Error(`${page} has no shell block below "${heading}"`);
  return block.trim().split('\n');
}

/** The demo's warehouse below the folder, at the place where `npm start` writes it. */
export function demoWarehouse(folder) {
  const warehouse = join(folder, 'warehouse', 'demo');
  run(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'demo', '--folder', warehouse], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return warehouse;
}
