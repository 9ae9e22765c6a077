import { gzipSync } from 'node:zlib';
import { bounds } from '../../src/core/json/bounds.ts';
import { transaction } from './transaction.ts';

/** What stands in place of an answer: made when it is asked for, since some are large. */
export interface HostileAnswer {
  readonly stream: 'data/latest_transactions' | 'node/containers';
  readonly body: () => Buffer;
  readonly encoding?: 'gzip';
  /** Whether its records come to the schema: they are rows, or quarantined. */
  readonly isTaken?: true;
  /** Whether it is read in the short form of the test, where others are much like it. */
  readonly isShort?: true;
}

const { values, items } = bounds.page;
const MiB = 2 ** 20;
/** Just below the bound. */
const large = bounds.page.bytes - MiB;
const filled = (bytes: number, part: string) => Buffer.alloc(bytes - (bytes % part.length), part);
export const list = (item: string, count: number) => `[${item}${`,${item}`.repeat(count - 1)}]`;
const ofPage = (body: () => string | Buffer, more: Partial<HostileAnswer> = {}): HostileAnswer => ({
  stream: 'data/latest_transactions',
  body: () => Buffer.from(body()),
  ...more,
});
const page = (transactions: () => string, more: Partial<HostileAnswer> = {}) =>
  ofPage(() => `{"transactions":${transactions()}}`, more);
const range = (containers: () => string, more: Partial<HostileAnswer> = {}): HostileAnswer => ({
  stream: 'node/containers',
  body: () => Buffer.from(`{"jsonrpc":"2.0","id":0,"result":{"containers":[${containers()}]}}`),
  ...more,
});

const short = { isShort: true } as const;
const taken = { isTaken: true } as const;

/** Answers that would take much memory or time, were there no bounds; by what they are. */
export const hostileAnswers: Readonly<Record<string, HostileAnswer>> = {
  'an honest page': page(() => `[${Array.from({ length: 100 }, (_, n) => transaction(n)).join(',')}]`, taken),

  '20 million objects in 59 kB of gzip': ofPage(() => gzipSync(filled(60 * MiB, '{},')), {
    ...short,
    encoding: 'gzip',
  }),
  '255 MB of blanks in gzip': ofPage(() => gzipSync(filled(255e6, ' ')), { ...short, encoding: 'gzip' }),
  '255 MB of blanks': ofPage(() => filled(255e6, ' ')),
  '31 MiB of blanks': ofPage(() => filled(large, ' '), short),
  'lists in lists': ofPage(() => filled(large, '['), short),
  'objects in objects': ofPage(() => filled(large, '{"a":'), short),
  numbers: page(() => list('0', large / 2), short),
  'a million records': page(() => list('{}', 1e6), short),
  'a million records in lists': page(() => list(list('{}', items / 2), 40)),
  'text that is not ASCII': page(() => `["${filled(large, 'é€')}"]`),

  'lists in lists that end': page(() => '['.repeat(values * 0.9) + ']'.repeat(values * 0.9), taken),
  'long texts with escapes': page(() => list(`"${filled(MiB, '\\u0001\\"')}"`, 30), { ...taken, ...short }),
  'numbers of a million digits': page(() => list('9'.repeat(MiB), 30), taken),
  'long text of which one sign is not ASCII': page(() => `["${filled(large / 2, 'a')}€"]`, taken),
  'as many long numbers as are taken': page(() => list(list('9007199254740993', items / 2), 20), taken),
  'as many records as are taken': page(() => list('{}', items), taken),
  'as many wrong members as are taken': page(() => list(`{"from":${list('{}', 9_000)}}`, 25), taken),
  'as many unknown members as are taken': page(
    // From the newest of the honest page on: a list that ends below or above it is none of that page.
    () => `[${Array.from({ length: 9 }, (_, n) => transaction(99 + n, unknownMembers(n))).join(',')}]`,
    { ...taken, ...short },
  ),
  'a range of long texts': range(() => `"${filled(bounds.range.bytes - MiB, 'ab')}"`),
  'a range larger than is taken': range(() => `"${filled(bounds.range.bytes, 'ab')}"`),
};

const unknownMembers = (n: number) =>
  Array.from({ length: items - 100 }, (_, i) => `,"k${(i + n * items).toString(36)}":${i}`).join('');
