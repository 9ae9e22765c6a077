import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FirnError } from '../../core/firnError.ts';
import type { Source } from '../../core/stream/source.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { resolveToThis } from './resolveToThis.ts';

/** A stream, and the file that declares it. */
export interface DeclaredStream {
  readonly stream: Stream;
  readonly file: string;
}

/**
 * Loads a file of an extension's streams: each export made by `defineStream` is one. A file may export only sources.
 *
 * @param file absolute path of a module; TypeScript where this Node strips types by itself
 * @throws FirnError `config` with the file, and the line where it is known
 */
export async function importStreams(file: string): Promise<DeclaredStream[]> {
  if (/ts$/.test(file) && !('typescript' in process.features && process.features.typescript))
    throw wrong(
      file,
      `is TypeScript, which Node ${process.versions.node} does not load by itself. Run firn with Node 22.18, 23.6 or later, or write the file as .js.`,
    );
  if (/\.c[jt]s$/.test(file))
    throw wrong(file, 'is a CommonJS module. Write it as an ES module, in a file .js, .mjs or .ts.');
  resolveToThis();
  // A stream may be exported by several names.
  const exported = [...new Set(Object.values(await load(file)))];
  const streams = exported.filter(isStream);
  if (streams.length === 0 && !exported.some(isSource))
    throw wrong(
      file,
      'exports no stream. Export what defineStream(...) returns; what streams share may lie in a folder below.',
    );
  const action = streams.find(({ way }) => (way as string) === 'action');
  if (action) throw wrong(file, `${action.id} is filled by a command of its own, which only firn's own streams have.`);
  return streams.map((stream) => ({ stream, file }));
}

async function load(file: string): Promise<object> {
  const { href } = pathToFileURL(file);
  try {
    return await import(href);
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const line = lineIn(stack, href, file);
    const at = line ? `, line ${line}` : error instanceof SyntaxError ? placeOfSyntax(file, message) : '';
    const [what = ''] = message.trim().split('\n');
    const hint = hints.find(([pattern]) => pattern.test(message))?.[1] ?? '';
    throw new FirnError('config', `${file}${at}: cannot be loaded: ${what.trim().replace(/\.$/, '')}.${hint}`, {
      cause: error,
    });
  }
}

/** What to do about some errors of Node. */
const hints = [
  [
    /outside a module|Unexpected token 'export'/,
    ' Put a package.json with { "type": "module" } into the folder that extend names.',
  ],
  [/\brequire\b/, " Files of an extension are ES modules: write import { … } from 'firn-etl' in place of require."],
  [/Cannot find package 'zod'/, " Write import { z } from 'firn-etl' instead."],
] as const;

/** The line that a text names behind a file. */
const lineIn = (text: string, ...names: readonly string[]) =>
  names
    .map((name) => text.split(`${name}:`)[1])
    .find(Boolean)
    ?.match(/^(\d+)/)?.[1];

/**
 * Where a wrong syntax is: `, line 2`, or `, lib/b.js, line 2`. Node tells that only where it runs a file itself, and the file that is wrong may be
 * one that this one imports.
 */
function placeOfSyntax(file: string, message: string): string {
  const folder = dirname(file);
  const beside = readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => /\.m?[jt]s$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name));
  for (const tried of new Set([file, ...beside])) {
    const { stderr } = spawnSync(process.execPath, ['--check', tried], { encoding: 'utf8' });
    const line = stderr.includes(message) ? lineIn(stderr, tried) : undefined;
    if (line) return `${tried === file ? '' : `, ${relative(folder, tried)}`}, line ${line}`;
  }
  return '';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isStream = (value: unknown): value is Stream =>
  isObject(value) && ['source', 'id', 'table', 'way'].every((member) => member in value);
const isSource = (value: unknown): value is Source => isObject(value) && 'numbers' in value && 'description' in value;

const wrong = (file: string, what: string) => new FirnError('config', `${file}: ${what}`);
