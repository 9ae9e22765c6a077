import { gzipSync } from 'node:zlib';

/** What stands in place of an answer: made when it is asked for, since some of them are large. */
export interface HostileAnswer {
  readonly stream: 'data/latest_transactions' | 'node/containers';
  readonly encoding?: 'gzip';
  readonly body: () => Buffer;
  /** Whether its records come to the schema: they are quarantined, or rows. */
  readonly isTaken?: true;
}

const MiB = 2 ** 20;
const page = (list: string) => Buffer.from(`{"transactions":${list}}`);
const filled = (bytes: number, part: string) => Buffer.alloc(bytes - (bytes % part.length), part);
const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `"k${(i + from).toString(36)}":${i}`).join(',');
/** A transaction that the schema takes. */
const transaction = (rest: string, n = 1) =>
  `{"blockNumber":"${n}","blockTimestamp":1770000000,"blockHash":"0xab","chainId":"7","blockIndex":0,"txHash":"0x${n.toString(16)}",` +
  `"txStatus":"1","txType":2,"gasLimit":"1","gasUsed":"1","gasPrice":"1","nonce":"1","from":{"address":"0x01"},"value":"0"${rest}}`;

/** Answers that would take much memory or time, had they no bounds; by what they are. */
export const hostileAnswers: Readonly<Record<string, HostileAnswer>> = {
  '20 million objects in 59 kB of gzip': {
    stream: 'data/latest_transactions',
    encoding: 'gzip',
    body: () => gzipSync(filled(60 * MiB, '{},')),
  },
  '255 MB of blanks in gzip': {
    stream: 'data/latest_transactions',
    encoding: 'gzip',
    body: () => gzipSync(filled(255e6, ' ')),
  },
  '255 MB of blanks': { stream: 'data/latest_transactions', body: () => filled(255e6, ' ') },
  '31 MiB of blanks': { stream: 'data/latest_transactions', body: () => filled(31 * MiB, ' ') },
  'lists in lists': { stream: 'data/latest_transactions', body: () => filled(31 * MiB, '[') },
  'lists in lists that end': {
    stream: 'data/latest_transactions',
    body: () => page(`${'['.repeat(450_000)}${']'.repeat(450_000)}`),
  },
  'objects in objects': { stream: 'data/latest_transactions', body: () => filled(31 * MiB, '{"a":') },
  numbers: { stream: 'data/latest_transactions', body: () => page(`[0${filled(31 * MiB, ',0')}]`) },
  'large numbers': {
    stream: 'data/latest_transactions',
    body: () => page(`[1${Array.from({ length: 20 }, () => `,[1${filled(MiB, ',9007199254740993')}]`)}]`),
  },
  'numbers of a million digits': {
    stream: 'data/latest_transactions',
    body: () => page(`[${Array.from({ length: 30 }, () => '9'.repeat(MiB)).join(',')}]`),
  },
  'strings with escapes': {
    stream: 'data/latest_transactions',
    body: () => page(`[${Array.from({ length: 31 }, () => `"${filled(MiB, '\\u0001\\"')}"`).join(',')}]`),
  },
  'text that is not ASCII': {
    stream: 'data/latest_transactions',
    body: () => page(`["${filled(15 * MiB, 'é€')}"]`),
  },
  'text of which one sign is not ASCII': {
    stream: 'data/latest_transactions',
    body: () => page(`["${filled(15 * MiB, 'a')}€"]`),
    isTaken: true,
  },
  'a million records': {
    stream: 'data/latest_transactions',
    body: () => page(`[{}${filled(4 * MiB, ',{}')}]`),
  },
  'as many records as are taken': {
    stream: 'data/latest_transactions',
    body: () => page(`[{}${',{}'.repeat(99_999)}]`),
    isTaken: true,
  },
  'as many unknown members as are taken': {
    stream: 'data/latest_transactions',
    body: () => page(`[${Array.from({ length: 4 }, (_, n) => transaction(`,${named(99_900, n * 1e5)}`, n))}]`),
    isTaken: true,
  },
  'as many wrong members as are taken': {
    stream: 'data/latest_transactions',
    body: () => page(`[${Array.from({ length: 20 }, () => `{"erc20Transfers":[{}${',{}'.repeat(9_000)}]}`)}]`),
    isTaken: true,
  },
  'a range of long strings': {
    stream: 'node/containers',
    body: () => Buffer.from(`{"jsonrpc":"2.0","id":"ID","result":{"containers":["${filled(47 * MiB, 'ab')}"]}}`),
  },
};
