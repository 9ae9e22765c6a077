import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { FirnError } from '../core/firnError.ts';
import { type Settings, settingsSchema } from '../run/settings.ts';
import { type AddressLabel, readAddressFile } from './addressFile.ts';

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
 * @throws FirnError `config` with file, line and what to write instead
 */
export function readConfig(options: ConfigOptions): Settings {
  const file = resolve(options.config ?? 'firn.yaml');
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const [broken] = document.errors;
  if (broken) throw new FirnError('config', `${file} is not valid YAML: ${broken.message.trim()}`);
  const labels: AddressLabel[] = [];
  const fromEnvironment = [...text.matchAll(variable)].flatMap(([, name = '']) => environment[name] ?? []);
  const resolved = resolveValues(document.toJS() ?? {}, file, labels);
  const parsed = settingsSchema.safeParse(resolved);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new FirnError('config', `${file}${lineOf(document, lines, issue)}: ${sentence(issue)}`);
  }
  const base = dirname(file);
  const folder = options.warehouse ?? parsed.data.warehouse;
  return {
    ...parsed.data,
    labels,
    fromEnvironment,
    warehouse: options.warehouse ? resolve(folder) : isAbsolute(folder) ? folder : resolve(base, folder),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new FirnError(
        'config',
        `There is no configuration ${file}. Run "firn init" to write one, or name one with --config.`,
      );
    }
    throw new FirnError('config', `Could not read ${file}: ${(error as Error).message}.`, { cause: error });
  }
}

const variable = /\$\{env:([^}]+)\}/g;

/** Fills in environment variables and address files, wherever they stand; `labels` takes what the files call their addresses. */
function resolveValues(value: unknown, file: string, labels: AddressLabel[]): unknown {
  if (typeof value === 'string') return value.replace(variable, (_, name: string) => environmentValue(name, file));
  if (value instanceof Date) return value.toISOString().slice(0, value.getTime() % 86_400_000 === 0 ? 10 : 19);
  if (Array.isArray(value)) return value.map((item) => resolveValues(item, file, labels));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isFile = name === 'addresses' && member !== null && typeof member === 'object' && 'file' in member;
      if (!isFile) return [name, resolveValues(member, file, labels)];
      const listed = readAddressFile(resolve(dirname(file), String(member.file)));
      labels.push(...listed.labels);
      return [name, [...listed.addresses]];
    }),
  );
}

function environmentValue(name: string, file: string): string {
  const value = environment[name];
  if (value) return value;
  throw new FirnError('config', `${file} takes a value from the environment variable ${name}, which is not set.`);
}

type Issue = z.core.$ZodIssue | undefined;

function lineOf(document: ReturnType<typeof parseDocument>, lines: LineCounter, issue: Issue): string {
  for (let path = [...(issue?.path ?? [])]; path.length > 0; path.pop()) {
    const node = document.getIn(path, true) as { range?: [number] } | undefined;
    if (node?.range) return `, line ${lines.linePos(node.range[0]).line}`;
  }
  return '';
}

function sentence(issue: Issue): string {
  if (!issue) return 'not a configuration';
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const where = at ? ` in ${at}` : '';
    return `unknown ${issue.keys.length > 1 ? 'options' : 'option'} ${issue.keys.map((key) => `"${key}"`).join(', ')}${where}. The README lists what there is.`;
  }
  return `${at || 'the file'}: ${issue.message}.`;
}
