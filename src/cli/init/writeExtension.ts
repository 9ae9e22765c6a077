import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { packageRoot } from '../../load/packageFiles.ts';
import { readConfig } from '../config/config.ts';
import { configJsonSchema } from '../config/configJsonSchema.ts';
import { own } from '../config/configured.ts';
import { couldNotWrite, writeOut } from '../writeOut.ts';
import { extendConfig } from './extendConfig.ts';

/** The folder for an example. @throws FirnError `usage` where it is there already, with something of somebody's own in it */
export function extensionFolder(config: string, name: string): string {
  const folder = resolve(dirname(config), name);
  if (!existsSync(folder) || isLeftOver(folder)) return folder;
  throw new FirnError('usage', `${folder} already exists. Name another folder: firn init --extend ./other`);
}

const example = () => join(packageRoot(), 'examples', 'extend');

/** Whether there is nothing but the example or parts of it: one that was killed before the configuration named it leaves that. */
function isLeftOver(path: string, original = example()): boolean {
  const [found, whole] = [path, original].map((place) => lstatSync(place, { throwIfNoEntry: false }));
  if (found?.isDirectory() && whole?.isDirectory())
    return readdirSync(path).every((name) => isLeftOver(join(path, name), join(original, name)));
  if (!found?.isFile() || !whole?.isFile() || found.size > whole.size) return false;
  return readFileSync(original).subarray(0, found.size).equals(readFileSync(path));
}

/**
 * Writes the example of own streams, models and audits into a folder, and has the configuration name and read it.
 *
 * @param config the configuration, which is there
 * @param name of the folder, relative to the configuration
 * @returns the folder
 * @throws FirnError `usage` where the folder is there already · `config` · `disk`
 */
export async function writeExtension(config: string, name: string): Promise<string> {
  const folder = extensionFolder(config, name);
  // A configuration that cannot be read cannot be added to.
  readConfig({ config });
  const shown = relative(dirname(config), folder).split(sep).join('/');
  const text = extendConfig(await readFile(config, 'utf8'), {
    extend: shown.startsWith('..') ? shown : `./${shown}`,
    source: { name: 'info', url: 'http://127.0.0.1:9650' },
    stream: 'info/node_versions',
  });
  try {
    await cp(example(), folder, { recursive: true }).catch((error) => {
      throw couldNotWrite(folder, error, 'folder');
    });
    const { openRegistry } = await import('../../run/extend/openRegistry.ts');
    const { catalogue } = await openRegistry(own, folder);
    const schema = join(dirname(config), 'firn.schema.json');
    await writeOut(schema, `${JSON.stringify(configJsonSchema(catalogue), null, 2)}\n`);
    await writeOut(config, text);
  } catch (error) {
    // So that it can be asked for again.
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
