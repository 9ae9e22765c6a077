import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FirnError } from '../core/firnError.ts';
import { packageRoot } from './packageFiles.ts';

/** An error that a file of an extension threw says in which, and on which line; any other stays as it is. */
export function withPlace(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FirnError) return error;
  // Node names ES modules by their URLs, others by their paths.
  for (const [, name = '', line] of error.stack?.matchAll(/(?:\(|at )((?:file:|\/|\w:\\)[^()\n]+?):(\d+):\d+\)?$/gm) ??
    []) {
    const file = name.startsWith('file:') ? fileURLToPath(name.replace(/\?.*/, '')) : name;
    if (file.startsWith(packageRoot() + sep) || file.includes(`${sep}node_modules${sep}`)) continue;
    return new FirnError('failed', `${file}, line ${line}: ${error.message}`, { cause: error });
  }
  return error;
}
