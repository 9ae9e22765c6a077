import { pathToFileURL } from 'node:url';
import { FirnError } from '../../core/firnError.ts';
import type { Source } from '../../core/source.ts';
import type { Stream } from '../../core/stream.ts';
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
  if (/ts$/.test(file) && !('typescript' in process.features && process.features.typescript)) {
    throw wrong(
      file,
      `is TypeScript, which Node ${process.versions.node} does not load by itself. Run firn with Node 22.18, 23.6 or later, or write the file as .js.`,
    );
  }
  resolveToThis();
  const exported = Object.values(await load(file));
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
    const [, line] =
      [href, file]
        .map((name) => stack.split(`${name}:`)[1])
        .find(Boolean)
        ?.match(/^(\d+)/) ?? [];
    const hint = /outside a module|Unexpected token 'export'/.test(message)
      ? ' Put a package.json with { "type": "module" } into the folder that extend names.'
      : '';
    const at = line === undefined ? '' : `, line ${line}`;
    throw new FirnError('config', `${file}${at}: cannot be loaded: ${message.trim()}.${hint}`, { cause: error });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isStream = (value: unknown): value is Stream =>
  isObject(value) && ['source', 'id', 'table', 'way'].every((member) => member in value);
const isSource = (value: unknown): value is Source => isObject(value) && 'numbers' in value && 'description' in value;

const wrong = (file: string, what: string) => new FirnError('config', `${file}: ${what}`);
