import { textIn } from '../../src/index.ts';

/**
 * The first place where two JSON values differ, as `path: ours, theirs`; undefined where they agree. Integers may be number or
 * bigint. Members that only one side has do not count: they depend on the version of the node.
 */
export function jsonDifference(ours: unknown, theirs: unknown, path = ''): string | undefined {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return told(`${path}.length`, ours.length, theirs.length);
    return first(ours.map((item, i) => () => jsonDifference(item, theirs[i], `${path}[${i}]`)));
  }
  if (isObject(ours) && isObject(theirs)) {
    const shared = Object.keys(ours).filter((name) => name in theirs);
    return first(
      shared.map((name) => () => jsonDifference(ours[name], theirs[name], path === '' ? name : `${path}.${name}`)),
    );
  }
  return textIn(ours) === textIn(theirs) ? undefined : told(path, ours, theirs);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function first(comparisons: readonly (() => string | undefined)[]): string | undefined {
  for (const compare of comparisons) {
    const difference = compare();
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const told = (path: string, ours: unknown, theirs: unknown) => `${path}: ${textIn(ours)}, ${textIn(theirs)}`;
