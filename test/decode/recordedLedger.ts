import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Parsed JSON with integers above 2^53 as bigint. */
// biome-ignore lint/suspicious/noExplicitAny: recordings have as many shapes as the node has answers
export type Recorded = any;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The three recorded ledgers: the main one, the signed one, and the one that walks through the forks. */
export const LEDGERS = ['devnet/ledger', 'test/fixtures/node-ledger-signed', 'test/fixtures/node-ledger-forks'];

const cache = new Map<string, Recorded[]>();

/** The lines of one file of a ledger. */
export function readLines(ledger: string, file: string): Recorded[] {
  const path = `${ledger}/${file}`;
  const lines = cache.get(path) ?? parseLines(path);
  cache.set(path, lines);
  return lines;
}

function parseLines(path: string): Recorded[] {
  const text = gunzipSync(readFileSync(`${ROOT}/${path}.jsonl.gz`)).toString('utf8');
  return text.trimEnd().split('\n').map(parseLossless);
}

/** The transactions of a block's JSON, in their order: the one of a proposal is the last. */
export const txsOf = ({ txs, tx }: Recorded): Recorded[] => [...(txs ?? []), ...(tx ? [tx] : [])];

/** The lines of a chain file that have a container, that is all but the genesis. */
export function readChain(ledger: string, chain: 'c' | 'p' | 'x'): Recorded[] {
  return readLines(ledger, `${chain}-chain`).filter((line) => line.container !== null);
}

/** The names of the files in a folder relative to the project's root. */
export function listFiles(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`);
}

/** A JSON file relative to the project's root. */
export function readJson(path: string): Recorded {
  return parseLossless(readFileSync(`${ROOT}/${path}`, 'utf8'));
}

function parseLossless(text: string): Recorded {
  // Few lines have one, and to look into each string of the others takes most of the time.
  if (!/[[:,]\s*-?\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (token) =>
    token[0] === '"' ? token : `{"$int":"${token}"}`,
  );
  return JSON.parse(marked, (_, value) => (typeof value?.$int === 'string' ? BigInt(value.$int) : value));
}

/** JSON text with sorted members and all digits: equal texts are equal values, whether numbers or bigints hold them. */
export function canonical(value: Recorded): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
