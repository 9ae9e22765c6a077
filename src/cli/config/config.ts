import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { sources } from '../../../pipelines/index.ts';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { checkGiven, valueAt } from '../../core/input/checkGiven.ts';
import { refuseUnset, unsetConfig, unsetVariable, variable } from '../../core/input/unsetVariable.ts';
import type { Source } from '../../core/stream/source.ts';
import { keyedMembers, part } from '../../core/stream/sourceSettings.ts';
import type { AddressLabel } from '../../load/bookkeeping/keepLabels.ts';
import { type Settings, settingsSchema } from '../../run/settings.ts';
import { type AddressFile, readAddressFile } from './addressFile.ts';
import { defaultConfig } from './defaultConfig.ts';
import { type ReadYaml, readYaml } from './readYaml.ts';

export interface ConfigOptions {
  /** Configuration file; `firn.yaml` in the working directory. */
  readonly config?: string | undefined;
  /** Warehouse folder that takes the place of the file's. */
  readonly warehouse?: string | undefined;
}

/** How a command reads its configuration. */
export interface CommandConfig extends ConfigOptions {
  /** For commands that only show what is published: who was handed a warehouse names it, and has no `firn.yaml`. */
  readonly onlyShows?: boolean;
}

/** What a warehouse that was handed over is configured with. */
const nothingToRead = 'sources: {}\npipelines: {}\n';

/** The process environment. Read elsewhere only before anything is loaded (`main.ts`, `cacheFolder`) and for proxies (`proxyOf`). */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Reads and checks `firn.yaml`: `${env:NAME}` is filled in, address files are read, paths are made absolute.
 *
 * @param known the sources that it may name; default: firn's own, and any beside `extend`
 * @param read the file, where it was read already: what another program hands over can be read once
 * @throws FirnError `config` with file, line and what to write instead
 */
export function readConfig(
  options: CommandConfig,
  known?: readonly Source[],
  read = readConfigFile(options),
): Settings {
  const { file, text, values, placeOf: placeInYaml } = read;
  const beside = (named: string) => pathBeside(file, named);
  const labels: AddressLabel[] = [];
  const listedIn = new Map<string, AddressFile>();
  const placeOf: ReadYaml['placeOf'] = (path) => {
    const from = listedIn.get(JSON.stringify(path.slice(0, -1)));
    return from?.placeOf(from.addresses[Number(path.at(-1))] ?? '') ?? placeInYaml(path);
  };
  const listed = (path: readonly PropertyKey[], name: string): readonly string[] => {
    refuseUnset(`${placeOf(path)}: addresses`, name);
    try {
      const list = readAddressFile(beside(name));
      listedIn.set(JSON.stringify(path), list);
      // As arguments of push, some 120,000 overflow the stack.
      for (const label of list.labels) labels.push(label);
      return list.addresses;
    } catch (error) {
      throw new FirnError('config', `${placeOf(path)}: ${messageOf(error)}`, { cause: error });
    }
  };
  const resolved = resolveValues(values, listed);
  // Sources, streams and services are looked at when they are used: commands that ask nobody need no key.
  const later = ['sources', 'pipelines', 'notify', 'lineage', 'control', 'stage', 'engine'];
  if (options.warehouse) later.push('warehouse');
  // A place is looked for only where it is told.
  for (const [name, value] of Object.entries(resolved as object))
    if (!later.includes(name) && unsetVariable(value) !== undefined) refuseUnset(`${placeOf([name])}: ${name}`, value);
  const data = checkedSettings(resolved, known ?? [...sources, ...undeclared(resolved)], placeOf);
  if (options.warehouse === undefined && /^~(?:[\\/]|$)/.test(data.warehouse))
    throw new FirnError(
      'config',
      `${placeOf(['warehouse'])}: warehouse: "~" stands for no folder here. Write the whole path, such as /srv/firn/warehouse.`,
    );
  return {
    ...data,
    placeOf,
    labels,
    fromEnvironment: [...text.matchAll(variable)].flatMap(([, name = '']) => variableNamed(name) ?? []),
    ...(data.extend !== undefined && { extend: beside(data.extend) }),
    ...(data.lineage && 'file' in data.lineage && { lineage: { file: beside(data.lineage.file) } }),
    ...(typeof data.stage === 'string' && { stage: stageAt(data.stage, beside) }),
    warehouse: options.warehouse ? folderAt(options.warehouse, resolve, file) : folderAt(data.warehouse, beside, file),
  };
}

/** Reads the file of a configuration. @throws FirnError `config` with file and line of what is no YAML */
export function readConfigFile(options: CommandConfig): ReadYaml & { readonly file: string } {
  const file = resolve(options.config ?? defaultConfig);
  refuseLostBytes(file);
  return { file, ...readYaml(file, isHandedOver(options, file) ? nothingToRead : undefined) };
}

/** @throws FirnError `config` for the first thing that is wrong, at its place */
function checkedSettings(resolved: unknown, known: readonly Source[], placeOf: ReadYaml['placeOf']) {
  const parsed = checkGiven(settingsSchema(known), resolved);
  if (!('sentence' in parsed)) return parsed.data;
  const place = placeOf(parsed.path);
  const name = unsetVariable(valueAt(resolved, parsed.path));
  throw name === undefined ? new FirnError('config', `${place}: ${parsed.sentence}`) : unsetConfig(place, name);
}

/** @throws FirnError `config` where neither a configuration nor a warehouse is there to be shown */
function isHandedOver({ config = defaultConfig, warehouse, onlyShows = false }: CommandConfig, file: string): boolean {
  if (!onlyShows || config !== defaultConfig || existsSync(file)) return false;
  if (warehouse) return true;
  throw new FirnError(
    'config',
    `There is no configuration ${file}. Name one with --config, or the folder of a warehouse with --warehouse: to show what is published there, no configuration is needed.`,
  );
}

/**
 * The folder of a warehouse.
 *
 * @param at the path of what was named
 * @throws FirnError `config` for a URL, which taken for a path would be a folder of that name, and for what DuckDB cannot open
 */
function folderAt(named: string, at: (named: string) => string, file: string): string {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(named))
    throw new FirnError(
      'config',
      `The warehouse is a folder of this machine, and ${named.split('://')[0]}:// begins a URL. Name a folder, with --warehouse or in the configuration; a lake in a bucket is what "stage" of a cluster names.`,
    );
  const folder = at(named);
  refuseLostBytes(folder);
  if (folder.includes('?'))
    throw new FirnError(
      'config',
      `The warehouse cannot lie in ${folder}: what follows a "?" DuckDB takes for options. Name another folder, with --warehouse or in ${file}.`,
    );
  return folder;
}

/** @throws FirnError `config` for a path with bytes that are no UTF-8: Node puts a character in their place, which names another file or folder */
function refuseLostBytes(path: string): void {
  if (path.includes('\ufffd'))
    throw new FirnError(
      'config',
      `The name ${path} has bytes that are no UTF-8, shown as \ufffd: what it names cannot be opened. Give it, or the folder that it is in, another name.`,
    );
}

/**
 * A path as a configuration names it, from the folder where that lies.
 *
 * @throws FirnError `config` for a relative one where another program hands the configuration over: it would lie in /dev, which a restart empties
 */
function pathBeside(file: string, named: string): string {
  if (/^\/(dev\/(stdin$|fd\/)|proc\/)/.test(file) && !isAbsolute(named))
    throw new FirnError(
      'config',
      `The configuration is handed over as ${file}, in whose folder nothing stays: ${named} cannot be relative to it. Write whole paths, warehouse: /srv/firn/warehouse for one, or give the configuration as a file.`,
    );
  return resolve(dirname(file), named);
}

/** A folder has its path; what names a bucket stays. */
const stageAt = (stage: string, at: (named: string) => string) =>
  /^[a-z0-9+]+:|^\$\{/i.test(stage) ? stage : at(stage);

/** Sources that the folder which `extend` names is to declare: commands that ask nobody do not load it. */
function undeclared(resolved: unknown): readonly Source[] {
  const { extend, sources: named } = resolved as { extend?: unknown; sources?: object };
  if (extend === undefined) return [];
  const settings = part(z.strictObject(keyedMembers).partial());
  return Object.keys(named ?? {})
    .filter((name) => !sources.some((source) => source.name === name))
    .map((name) => ({ name, description: '', numbers: 'lossless', settings }));
}

/** Fills in environment variables and, by `listed`, address files, wherever they stand. */
function resolveValues(
  value: unknown,
  listed: (path: readonly PropertyKey[], file: string) => readonly string[],
  path: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return filledIn(value);
  if (value instanceof Date) return value.toISOString().slice(0, value.getTime() % 86_400_000 === 0 ? 10 : 19);
  if (Array.isArray(value)) return value.map((item, at) => resolveValues(item, listed, [...path, at]));
  if (value === null || typeof value !== 'object') return value;
  const { file, ...rest } = value as Readonly<Record<string, unknown>>;
  if (path.at(-1) === 'addresses' && typeof file === 'string' && Object.keys(rest).length === 0)
    return listed(path, filledIn(file));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveValues(member, listed, [...path, name])]),
  );
}

/** What every object inherits (`constructor`) is no variable. */
const variableNamed = (name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined;

/** Variables that are not set are left as written. A password in a URL is encoded: `@` and `/` in it would end it. */
function filledIn(text: string): string {
  const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.exec(text)?.[0].length ?? 0;
  return text.replace(variable, (whole, name: string, at: number) => {
    const value = variableNamed(name);
    if (!value) return whole;
    return at < userInfo ? encodeURIComponent(value) : value;
  });
}
