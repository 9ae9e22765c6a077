import { bech32 } from '@scure/base';
import { z } from 'zod';
import { fromCheckedHex } from '../codec/bytes.ts';
import { emptyId, toCb58, utxoIdOf } from '../codec/cb58.ts';
import type { Raw } from '../types.ts';
import { type Args, encoding, readArgs, recodeHex, string, strings, uint64 } from './args.ts';
import { type RecordedAnswers, replay } from './recordedAnswers.ts';
import { goString, RpcError } from './rpcError.ts';

const itemsPerPage = 1024;

const utxoArgs = z.object({
  addresses: strings,
  sourceChain: string,
  limit: uint64.transform((limit) => (limit === 0n || limit > itemsPerPage ? itemsPerPage : Number(limit))),
  startIndex: z.unknown().optional(),
  encoding,
});

interface UtxoPage {
  readonly utxos: readonly string[];
}

/**
 * getUTXOs of the P-Chain, the X-Chain and the C-Chain's atomic API from recorded answers about single addresses: several addresses
 * are joined, and pages cut, as the node does it. Throws RpcError for addresses that were not recorded.
 */
export function getUtxos(answers: RecordedAnswers, path: string, method: string, args: Args, now: number): Raw {
  const { addresses, sourceChain, limit, startIndex, encoding: form } = readArgs(utxoArgs, args);
  if (addresses.length === 0) throw new RpcError('no addresses provided');
  if (addresses.length > itemsPerPage) {
    throw new RpcError(`number of addresses given, ${addresses.length}, exceeds maximum, ${itemsPerPage}`);
  }
  const seen = new Set<string>();
  const owned: { address: string; utxo: string }[] = [];
  for (const address of addresses) {
    checkAddress(address);
    const params = { addresses: [address], ...(sourceChain === '' ? {} : { sourceChain }) };
    const page = JSON.parse(recordedState(answers, path, method, params, now)) as UtxoPage;
    for (const utxo of page.utxos) {
      if (!seen.has(utxo)) owned.push({ address, utxo });
      seen.add(utxo);
    }
  }
  const start = startIndex as { readonly utxo?: unknown } | null | undefined;
  const from = start ? owned.findIndex(({ utxo }) => utxoId(utxo) === start.utxo) + 1 : 0;
  const page = owned.slice(from, from + limit);
  const last = page.at(-1);
  const end = { address: last?.address ?? addresses.at(-1), utxo: last === undefined ? emptyId : utxoId(last.utxo) };
  const texts = page.map(({ utxo }) => `"${recodeHex(utxo, form)}"`);
  return `{"numFetched":"${page.length}","utxos":[${texts.join()}],"endIndex":${JSON.stringify(end)},"encoding":"${form}"}`;
}

/** A recorded answer about state as of the newest recorded moment, or an RpcError that says why there is none. */
export function recordedState(
  answers: RecordedAnswers,
  path: string,
  method: string,
  params: unknown,
  now: number,
): Raw {
  const answer = answers.find(path, method, params, now);
  if (answer !== null) return replay(answer);
  const later = answers.find(path, method, params, Number.POSITIVE_INFINITY);
  if (later === null) throw new RpcError(`the recording holds no answer to ${method} with these params`);
  throw new RpcError(`the recording holds no answer to ${method} with these params as early as this moment`);
}

/** Throws the node's error for a malformed address. */
export function checkAddress(text: string): void {
  const [, own] = /^[^-]+-(.*)$/.exec(text) ?? [];
  const problem = own === undefined ? 'no separator found in address' : bech32Problem(own);
  if (problem !== null) throw new RpcError(`couldn't parse address ${goString(text)}: ${problem}`);
}

/** The id of a UTXO, from its bytes. */
function utxoId(hex: string): string {
  const bytes = fromCheckedHex(hex);
  return utxoIdOf(toCb58(bytes.subarray(2, 34)), bytes.readUInt32BE(34));
}

function bech32Problem(text: string): string | null {
  const one = text.lastIndexOf('1');
  if (text.length < 8 || text.length > 90) return `invalid bech32 string length ${text.length}`;
  if (one < 1 || one + 7 > text.length) return `invalid separator index ${one}`;
  return bech32.decodeUnsafe(text) === undefined ? 'invalid checksum' : null;
}
