import { z } from 'zod';
import { meant } from '../input/meant.ts';
import { rawOf } from '../json/answerParts.ts';
import { jsonText } from '../json/jsonText.ts';
import type { Asking } from '../requests/page.ts';
import { type Partition, partitionKey } from './partition.ts';
import { kindsOfRecords } from './records.ts';
import type { RangeStream } from './stream.ts';

/** What each way of reading needs beside what all streams have. */
const ways: Readonly<Record<string, readonly string[]>> = {
  range: ['position', 'size', 'ahead', 'head', 'first', 'read'],
  slice: ['pages', 'records'],
  newestFirst: ['pages', 'records'],
  snapshot: ['pages', 'records'],
  lookup: ['keys', 'request', 'records'],
};
const always = ['description', 'endpoint', 'parameters', 'partitions', 'schema', 'key'];

/**
 * Looks whether a declaration has a source, and what its way of reading needs: an extension's may be JavaScript, in which nothing else says so
 * before it is read.
 *
 * @throws TypeError for what is missing or cannot be, by the name of the member
 */
export function checkDeclaration(source: unknown, declared: unknown): void {
  const members = rawOf(declared);
  const { name, way } = members;
  const { name: sourceName, numbers } = rawOf(source);
  if (typeof sourceName !== 'string' || (numbers !== 'lossless' && numbers !== 'text'))
    throw new TypeError(
      `${name ?? 'a stream'}: defineStream(source, { … }) needs a source: node, data, metrics, or what defineSource(…) gives`,
    );
  const wrong = (what: string) => new TypeError(`${name}: ${what}`);
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name))
    throw new TypeError(`a stream cannot be called "${name}": write small letters, digits and _, with a letter first`);
  // Filled by commands of firn's own.
  if (way !== 'action' && !Object.hasOwn(ways, String(way)))
    throw wrong(`"way" cannot be ${JSON.stringify(way) ?? 'left out'}. ${meant(String(way), Object.keys(ways))}`);
  const missing = [...always, ...(ways[String(way)] ?? [])].filter((member) => (members[member] ?? null) === null);
  if (missing.length > 0) throw wrong(`a stream of the way "${way}" needs ${missing.join(', ')}`);
  if (typeof members['records'] === 'function')
    throw wrong(`"records" says where records lie, by a path such as 'transactions' or by places; it is no function`);
  for (const { each } of [members['records'] ?? []].flat().map(rawOf))
    if (each !== undefined && !kindsOfRecords.some((kind) => kind === each))
      throw wrong(`"each" of "records" cannot be ${JSON.stringify(each)}. ${meant(String(each), kindsOfRecords)}`);
  for (const member of way === 'range' ? ['size', 'ahead'] : [])
    if (!Number.isSafeInteger(members[member]) || Number(members[member]) < 1)
      throw wrong(`"${member}" must be a whole number above 0`);
  const { told, with: parts } = rawOf(members['keeps'] ?? {});
  for (const child of members['keeps'] === undefined ? [] : [told, parts])
    if (!Object.hasOwn(rawOf(members['children'] ?? {}), String(child)))
      throw wrong(`"keeps" names "${child}", and no such child is declared`);
  for (const member of ['parameters', 'schema'])
    if (!(members[member] instanceof z.ZodObject)) throw wrong(`"${member}" must be what z.object({ … }) gives`);
  const { key } = members;
  if (!Array.isArray(key) || key.length === 0) throw wrong('"key" must be a list of names of columns, one at least');
  for (const [member, value] of Object.entries(members))
    if (typeof value === 'function' && value.constructor.name.startsWith('Async'))
      throw wrong(`"${member}" cannot be async: it yields requests, and firn waits for their answers`);
}

type Positions = Pick<RangeStream, 'head' | 'first' | 'last'>;

/**
 * What says where a range begins and ends, which must be whole numbers: without one nothing would be read and nothing said, and a text would be
 * counted on by its digits.
 */
export function checkedPositions(name: string, declared: Positions): Positions {
  const { head, first, last } = declared;
  return {
    head: (...given) => wholeNumber(name, 'head', head.apply(declared, given)),
    first: (...given) => wholeNumber(name, 'first', first.apply(declared, given)),
    ...(last && { last: (...given) => wholeNumber(name, 'last', last.apply(declared, given)) }),
  };
}

/** @throws TypeError where it is not; a head may also be null, where there is none yet */
function wholeNumber<T extends number | null>(name: string, member: keyof Positions, asking: Asking<T>): Asking<T> {
  return typeof asking?.next === 'function' ? judged() : asking;
  function* judged(): Asking<T> {
    const position = yield* asking;
    if (Number.isSafeInteger(position) || (position === null && member === 'head')) return position;
    const shown = typeof position === 'string' ? `"${position}"` : position;
    throw new TypeError(
      `${name}: "${member}" must return a whole number, not ${shown}: read it by wholeNumberOf(body, '…')`,
    );
  }
}

/**
 * The partitions that a stream gave.
 *
 * @throws TypeError where one has no text for a column of theirs, or one for a column that there is not, and where several would be one
 */
export function checkedPartitions<Of extends Partition>(
  name: string,
  columns: readonly string[],
  given: readonly Of[],
): readonly Of[] {
  const wanted = columns.length > 0 ? `{ ${columns.map((column) => `${column}: '…'`).join(', ')} }` : '{}';
  const isRight = (values: unknown) =>
    typeof values === 'object' &&
    values !== null &&
    Object.keys(values).sort().join() === columns.toSorted().join() &&
    Object.values(values).every((value) => typeof value === 'string');
  if (!Array.isArray(given) || !given.every((one: Partial<Of> | undefined) => isRight(one?.values)))
    throw new TypeError(`${name}: "partitions" must give a list of { values: ${wanted} }, by "partitionColumns"`);
  const known = new Map<string, Of>();
  for (const partition of given) {
    const key = partitionKey(partition);
    const same = known.get(key);
    // What a parameter names twice is the same twice, and is read once.
    if (same && jsonText(same) !== jsonText(partition))
      throw new TypeError(
        `${name}: "partitions" gives several with the same values and filters, which would be one: name what tells them apart in "partitionColumns" or "filters"`,
      );
    known.set(key, partition);
  }
  return given;
}
