import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Alias, type Document, LineCounter, parseDocument, type Scalar, visit, type YAMLParseError } from 'yaml';
import { z } from 'zod';
import { sources } from '../../pipelines/index.ts';
import { checkGiven, valueAt } from '../core/checkGiven.ts';
import { FirnError, messageOf } from '../core/firnError.ts';
import { mayHoldSecret } from '../core/redact.ts';
import type { Source } from '../core/source.ts';
import { keyedMembers, part } from '../core/sourceSettings.ts';
import { refuseUnset, type Settings, settingsSchema, unsetConfig, unsetVariable, variable } from '../run/settings.ts';
import { type AddressLabel, readAddressFile } from './addressFile.ts';
import { yamlPlace } from './yamlPlace.ts';

export interface ConfigOptions {
  /** Configuration file; `firn.yaml` in the working directory. */
  readonly config?: string | undefined;
  /** Warehouse folder that takes the place of the file's. */
  readonly warehouse?: string | undefined;
}

/** The process environment: read here and nowhere else. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Reads and checks `firn.yaml`: `${env:NAME}` is filled in, address files are read, paths are made absolute.
 *
 * @param known the sources that it may name; default: firn's own, and any beside `extend`
 * @throws FirnError `config` with file, line and what to write instead
 */
export function readConfig(options: ConfigOptions, known?: readonly Source[]): Settings {
  const file = resolve(options.config ?? 'firn.yaml');
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true, merge: true });
  const [broken] = document.errors;
  if (broken) throw new FirnError('config', `${file} is not valid YAML: ${yamlProblem(broken)}`);
  const base = dirname(file);
  const labels: AddressLabel[] = [];
  const placeOf = (path: readonly PropertyKey[]) => `${file}${yamlPlace(document, lines, path)}`;
  refuseUnreadable(document, lines, file);
  const fromEnvironment = [...text.matchAll(variable)].flatMap(([, name = '']) => environment[name] ?? []);
  const listed = (path: readonly PropertyKey[], name: string): readonly string[] => {
    refuseUnset(`${placeOf(path)}: addresses`, name);
    try {
      const { addresses, labels: own } = readAddressFile(resolve(base, name));
      labels.push(...own);
      return addresses;
    } catch (error) {
      throw new FirnError('config', `${placeOf(path)}: ${messageOf(error)}`, { cause: error });
    }
  };
  const resolved = resolveValues(valuesOf(document, file), listed);
  // Sources, streams and services are looked at when they are used: commands that ask nobody need no key.
  const later = ['sources', 'pipelines', 'notify', 'lineage', 'control', 'stage', 'engine'];
  if (options.warehouse) later.push('warehouse');
  for (const [name, value] of Object.entries(resolved as object))
    if (!later.includes(name)) refuseUnset(`${placeOf([name])}: ${name}`, value);
  const parsed = checkGiven(settingsSchema(known ?? [...sources, ...undeclared(resolved)]), resolved);
  if ('sentence' in parsed) {
    const name = unsetVariable(valueAt(resolved, parsed.path));
    const place = placeOf(parsed.path);
    if (name !== undefined) throw unsetConfig(place, name);
    throw new FirnError('config', `${place}: ${parsed.sentence}`);
  }
  const warehouse = options.warehouse ? resolve(options.warehouse) : resolve(base, parsed.data.warehouse);
  if (options.warehouse === undefined && /^~(?:[\\/]|$)/.test(parsed.data.warehouse))
    throw new FirnError(
      'config',
      `${placeOf(['warehouse'])}: warehouse: "~" stands for no folder here. Write the whole path, such as /srv/firn/warehouse.`,
    );
  if (warehouse.includes('?'))
    throw new FirnError(
      'config',
      `The warehouse cannot lie in ${warehouse}: what follows a "?" DuckDB takes for options. Name another folder, with --warehouse or in ${file}.`,
    );
  return {
    ...parsed.data,
    placeOf,
    labels,
    fromEnvironment,
    ...(parsed.data.extend !== undefined && { extend: resolve(base, parsed.data.extend) }),
    ...(parsed.data.lineage &&
      'file' in parsed.data.lineage && { lineage: { file: resolve(base, parsed.data.lineage.file) } }),
    ...(typeof parsed.data.stage === 'string' && { stage: stageAt(base, parsed.data.stage) }),
    warehouse,
  };
}

/** A folder from where the file lies; what names a bucket stays. */
const stageAt = (base: string, stage: string) => (/^[a-z0-9+]+:|^\$\{/i.test(stage) ? stage : resolve(base, stage));

/** Sources that the folder which `extend` names is to declare: commands that ask nobody do not load it. */
function undeclared(resolved: unknown): readonly Source[] {
  const { extend, sources: named } = resolved as { extend?: unknown; sources?: object };
  if (extend === undefined) return [];
  const settings = part(z.strictObject(keyedMembers).partial());
  return Object.keys(named ?? {})
    .filter((name) => !sources.some((source) => source.name === name))
    .map((name) => ({ name, description: '', numbers: 'lossless', settings }));
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const known: Readonly<Record<string, string>> = {
      ERR_ENCODING_INVALID_ENCODED_DATA: `${file} is not text in UTF-8. Save it as UTF-8: other bytes would change names and paths.`,
      ENOENT: `There is no configuration ${file}. Run "firn init" to write one, or name one with --config.`,
      EISDIR: `${file} is a folder, not a configuration. Name the file in it: --config ${join(file, 'firn.yaml')}`,
    };
    throw new FirnError('config', known[code ?? ''] ?? `Could not read ${file}: ${message}.`, { cause: error });
  }
}

/** Numbers that a double would change, and addresses without quotes, as the text that they are. */
function valuesOf(document: Document.Parsed, file: string): unknown {
  visit(document, {
    Scalar(_, node) {
      const { value, source } = node;
      if (
        typeof value === 'number' &&
        (Number.isInteger(value) ? !Number.isSafeInteger(value) || isAddress(source) : !Number.isFinite(value))
      )
        node.value = source;
    },
  });
  try {
    return document.toJS() ?? {};
  } catch (error) {
    const { message } = error as Error;
    const said = mayHoldSecret(message) ? 'an alias (*name) without its anchor. Its name is not shown' : message;
    throw new FirnError('config', `${file} is not valid YAML: ${said}.`);
  }
}

/** An address may be a number with zeros before it. */
const isAddress = (source: string | undefined) => /^0x[0-9a-f]{40}$/i.test(source ?? '');

/**
 * Refuses an alias inside of what it names, and a variable in another form than `${env:NAME}`, which would be sent as it stands. It is not shown: it
 * may be part of a secret.
 */
function refuseUnreadable(document: Document.Parsed, lines: LineCounter, file: string): void {
  const refuse = ({ range }: Alias | Scalar, sentence: string) => {
    const { line, col } = lines.linePos(range?.[0] ?? 0);
    throw new FirnError('config', `${file}:${line}:${col}: ${sentence}`);
  };
  visit(document, {
    Alias(_, node, holders) {
      if (holders.some((holder) => holder === node.resolve(document)))
        refuse(node, 'this alias stands in what it names.');
    },
    Scalar(_, node) {
      if (typeof node.value === 'string' && /\$\{(?!env:[^}]+\})/.test(node.value))
        refuse(
          node,
          `what begins with "\${" there is no variable. Write \${env:NAME}; a text that holds "\${" itself goes into a variable.`,
        );
    },
  });
}

/** What is wrong with the YAML, and the line where: unless that holds what looks like a secret. */
function yamlProblem({ code, message, linePos }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS')
    return `a second document begins at line ${linePos?.[0].line ?? 1} (---). A configuration is one: name another file for another warehouse.`;
  if (!mayHoldSecret(message)) return message.trim();
  const { line, col } = linePos?.[0] ?? { line: 1, col: 1 };
  return `something is wrong at line ${line}, column ${col}. What is there is not shown: it may hold a secret.`;
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

/** Variables that are not set are left as written. A password in a URL is encoded: `@` and `/` in it would end it. */
function filledIn(text: string): string {
  const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.exec(text)?.[0].length ?? 0;
  return text.replace(variable, (whole, name: string, at: number) => {
    const value = environment[name];
    if (!value) return whole;
    return at < userInfo ? encodeURIComponent(value) : value;
  });
}
