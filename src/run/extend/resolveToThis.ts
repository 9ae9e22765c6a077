import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../load/packageFiles.ts';

/** Since Node 22.15: hooks in the thread that loads. */
type RegisterHooks = (hooks: {
  resolve(specifier: string, context: object, next: (specifier: string, context: object) => unknown): unknown;
}) => void;

let isDone = false;

/**
 * Makes the package's name mean this running firn in every module that is loaded from here on: an extension's files need no installation beside
 * them, and are never made by another copy of the code than the one that runs them.
 */
export function resolveToThis(): void {
  const library = join(packageRoot(), 'dist', 'cli', 'library.js');
  if (isDone || !existsSync(library)) return;
  isDone = true;
  const url = pathToFileURL(library).href;
  const { registerHooks } = module as { registerHooks?: RegisterHooks };
  if (registerHooks) {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'firn-etl' ? { url, shortCircuit: true } : next(specifier, context),
    });
    return;
  }
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'firn-etl' ? { url: ${JSON.stringify(url)}, shortCircuit: true } : next(specifier, context);`;
  module.register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
