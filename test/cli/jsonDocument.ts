import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { documents } from '../../src/cli/json/documents.ts';

const folder = resolve(import.meta.dirname, '..', '..', 'docs', 'json');
const standard: Readonly<Record<string, string>> = {
  export: 'export status',
  quarantine: 'quarantine list',
  state: 'state list',
};

/** The schema in docs/json of what a command prints. */
function schemaOf(command: string): z.ZodType {
  const text = readFileSync(join(folder, `${command.replaceAll(' ', '-')}.json`), 'utf8');
  return z.fromJSONSchema(JSON.parse(text));
}

/** The command that arguments call, as `documents` names it. */
export function commandOf(args: readonly string[]): string {
  const names = Object.keys(documents);
  const at = args.findIndex((word) => word !== 'error' && names.some((name) => name.split(' ')[0] === word));
  const [first = '', second = ''] = args.slice(Math.max(at, 0));
  const both = `${first} ${second}`;
  return names.includes(both) ? both : (standard[first] ?? first);
}

/** The document that a command printed, held against its schema in docs/json. */
export function checkedDocument(args: readonly string[], text: string): unknown {
  const value: unknown = JSON.parse(text);
  const isError = typeof value === 'object' && value !== null && 'error' in value;
  const found = schemaOf(isError ? 'error' : commandOf(args)).safeParse(value);
  if (!found.success) throw new Error(`firn ${args.join(' ')} is not of its schema: ${z.prettifyError(found.error)}`);
  return value;
}
