import type { z } from 'zod';
import { meant } from './meant.ts';

/** What became of values that somebody wrote, held against a schema. */
export type Checked<T> =
  | { readonly data: T }
  /** The path leads to the value that is wrong, or to the key that there should not be. */
  | { readonly path: readonly PropertyKey[]; readonly sentence: string };

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Checks the values in a configuration. Numbers are taken where text is wanted; a word that is wrong gets the right ones. */
export function checkGiven<T>(schema: z.ZodType<T>, given: unknown): Checked<T> {
  const first = schema.safeParse(given);
  if (first.success) return { data: first.data };
  const copy = structuredClone(given);
  for (const { code, path, ...issue } of first.error.issues.flatMap((own) => flattened(own))) {
    const value = valueAt(copy, path);
    if (code === 'invalid_type' && 'expected' in issue && issue.expected === 'string' && typeof value === 'number')
      put(copy, path, String(value));
  }
  const parsed = schema.safeParse(copy);
  if (parsed.success) return { data: parsed.data };
  const { issues } = parsed.error;
  // What is missing may be there under a wrong name.
  const whole = (issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]) as Issue;
  const issue = telling(whole);
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  return { path, sentence: unlisted(whole, given) ?? sentenceOf(issue, schema, given) };
}

/** What to write in place of one value where a list of them belongs. */
function unlisted(issue: Issue, given: unknown): string | undefined {
  const value = valueAt(given, issue.path);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const ways = issue.code === 'invalid_union' ? flattened(issue).slice(1) : [issue];
  const words = ways.flatMap((way) => (way.code === 'invalid_value' ? way.values.map(String) : []));
  const isList = ways.some((way) => way.code === 'invalid_type' && way.expected === 'array');
  const isOther = ways.some(
    (way) => way.code !== 'invalid_value' && (way.code !== 'invalid_type' || way.expected !== 'array'),
  );
  if (!isList || isOther || words.includes(String(value).toLowerCase())) return undefined;
  const others = issue.path.at(-1) === 'addresses' ? [`{ file: ${value} } if it names a file`] : words;
  return `${nameOf(issue.path)}: ${JSON.stringify(value)} is no list. Write [${value}]${others.map((word) => `, or ${word}`).join('')}.`;
}

/** The issue, and those of every way that a union could have been meant. */
function flattened(issue: Issue, before: Path = []): Issue[] {
  const own = { ...issue, path: [...before, ...issue.path] };
  const inner = issue.code === 'invalid_union' ? issue.errors.flat() : [];
  return [own, ...inner.flatMap((one) => flattened(one, own.path))];
}

/**
 * For a union, the issue inside of the one alternative whose members were written. Where there is none, or several, and the union explains nothing
 * itself, the issue that lies deepest: that alternative was meant.
 */
function telling(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const [meantOne, ...others] = issue.errors.filter((way) => way.every(({ path }) => path.length > 0));
  const [first] = meantOne ?? [];
  if (first && others.length === 0) return telling({ ...first, path: [...issue.path, ...first.path] });
  if (issue.message !== 'Invalid input') return issue;
  const inner = flattened(issue).slice(1);
  return inner.reduce((best, one) => (one.path.length > best.path.length ? one : best), inner[0] ?? issue);
}

/** A place in the words of the file, which does not number the items of a list. */
const nameOf = (path: Path) => path.filter((part) => typeof part !== 'number').join('.');

/** Options that a sentence names. */
const mostNamed = 10;

function sentenceOf(issue: Issue, schema: z.ZodType, given: unknown): string {
  const at = nameOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    const [first = ''] = issue.keys;
    const many = issue.keys.length > 1 ? 'options' : 'option';
    const named = issue.keys.slice(0, mostNamed).map((key) => `"${key}"`);
    const more = issue.keys.length > mostNamed ? ` and ${issue.keys.length - mostNamed} more` : '';
    return `unknown ${many} ${named.join(', ')}${more}${at ? ` in ${at}` : ''}. ${meant(first, known)}`;
  }
  const value = valueAt(given, issue.path);
  if (issue.code === 'invalid_value') {
    const said = value === undefined ? 'is missing' : `${JSON.stringify(value)} is not known`;
    return `${at}: ${said}. ${meant(String(value), issue.values.map(String))}`;
  }
  const isShort = /^Too small: expected (?:string|array) to have >=1 /.test(issue.message);
  if (issue.code === 'invalid_type' && value === undefined) return `${at || 'it'} is missing.`;
  if ((issue.code === 'invalid_type' && value === null) || isShort) return `${at || 'it'} is empty.`;
  return `${at && `${at}: `}${wordsOf(issue, value)}.`;
}

/** What a schema says for itself; in place of zod's own words, what to write. The value is not shown: it may be a secret. */
function wordsOf(issue: Issue, value: unknown): string {
  if (/^(?!Invalid input|Too (?:small|big))/.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') {
    const isFraction = issue.expected === 'int' && typeof value === 'number';
    const given = isFraction ? 'a fraction' : kinds[Array.isArray(value) ? 'array' : typeof value];
    return `write ${kinds[issue.expected] ?? issue.expected}, not ${given}`;
  }
  if (issue.code === 'too_small')
    return issue.inclusive ? `write ${issue.minimum} or more` : `write more than ${issue.minimum}`;
  if (issue.code === 'too_big') return `write ${issue.maximum} or less`;
  return issue.message;
}

const kinds: Readonly<Record<string, string>> = {
  object: 'members (name: value)',
  record: 'members (name: value)',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** The part of a value at a path; undefined where there is none. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined | null)?.[key], value);

function put(value: unknown, path: Path, member: string): void {
  const holder = valueAt(value, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof holder === 'object' && holder !== null && key !== undefined)
    (holder as Record<PropertyKey, unknown>)[key] = member;
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly shape?: Readonly<Record<PropertyKey, z.ZodType>>;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The keys that an object at a place of a schema may have. */
function keysAt(schema: z.ZodType, [key, ...rest]: Path): string[] {
  const { innerType, in: input, shape, valueType, element, options } = schema.def as Definition;
  const wrapped = innerType ?? input;
  if (wrapped) return keysAt(wrapped, key === undefined ? [] : [key, ...rest]);
  if (options) return options.flatMap((option) => keysAt(option, key === undefined ? [] : [key, ...rest]));
  if (key === undefined) return Object.keys(shape ?? {});
  const inner = shape?.[key] ?? valueType ?? element;
  return inner ? keysAt(inner, rest) : [];
}
