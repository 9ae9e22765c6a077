import { RpcError } from './rpcError.ts';

/** A block as a request names it: by number, by tag (the newest one, or the newest that is accepted), or by hash. */
export type BlockName =
  | { readonly number: bigint }
  | { readonly latest: true }
  | { readonly accepted: true }
  | { readonly hash: string };

const latestNames = new Set(['latest', 'pending']);
const acceptedNames = new Set(['accepted', 'finalized', 'safe']);

/** Positional params of an `eth_` call; throws for params that are not an array or too many. */
export function toPositional(params: unknown, most: number): readonly unknown[] {
  if (params === undefined || params === null) return [];
  if (!Array.isArray(params)) throw invalid('non-array args');
  if (params.length > most) throw invalid(`too many arguments, want at most ${most}`);
  return params;
}

/** A required block number or tag. */
export function blockNumberParam(params: readonly unknown[], at: number): BlockName {
  return blockNumber(required(params, at), at);
}

/** A block number, tag, hash or `{blockHash}` / `{blockNumber}`. */
export function blockNameParam(params: readonly unknown[], at: number): BlockName {
  const value = required(params, at);
  if (typeof value === 'string' && value.length === 66) return { hash: hash(value, at) };
  if (typeof value !== 'object' || Array.isArray(value)) return blockNumber(value, at);
  const { blockHash, blockNumber: number } = value as { blockHash?: unknown; blockNumber?: unknown };
  if (blockHash !== undefined && number !== undefined) {
    throw invalid(`invalid argument ${at}: cannot specify both BlockHash and BlockNumber, choose one or the other`);
  }
  return blockHash === undefined ? blockNumber(number, at) : { hash: hash(blockHash, at) };
}

export function hashParam(params: readonly unknown[], at: number): string {
  return hash(required(params, at), at);
}

export function boolParam(params: readonly unknown[], at: number): boolean {
  const value = required(params, at);
  if (typeof value !== 'boolean') throw unreadable(at, value, 'bool');
  return value;
}

/** A quantity of at most 64 bits. */
export function quantityParam(params: readonly unknown[], at: number): number {
  const name = blockNumber(required(params, at), at);
  if (!('number' in name)) throw invalid(`invalid argument ${at}: hex string without 0x prefix`);
  return Number(name.number);
}

export function unreadable(at: number, value: unknown, type: string): RpcError {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return invalid(`invalid argument ${at}: json: cannot unmarshal ${kind} into Go value of type ${type}`);
}

function required(params: readonly unknown[], at: number): unknown {
  const value = params[at];
  if (value === undefined || value === null) throw invalid(`missing value for required argument ${at}`);
  return value;
}

function blockNumber(value: unknown, at: number): BlockName {
  const text = typeof value === 'string' ? value.trim() : String(value);
  if (text === 'earliest') return { number: 0n };
  if (latestNames.has(text)) return { latest: true };
  if (acceptedNames.has(text)) return { accepted: true };
  if (text === '') throw invalid(`invalid argument ${at}: empty hex string`);
  if (!/^0[xX]/.test(text)) throw invalid(`invalid argument ${at}: hex string without 0x prefix`);
  const digits = text.slice(2);
  if (digits === '') throw invalid(`invalid argument ${at}: hex string "0x"`);
  if (digits.length > 1 && digits.startsWith('0')) {
    throw invalid(`invalid argument ${at}: hex number with leading zero digits`);
  }
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw invalid(`invalid argument ${at}: invalid hex string`);
  if (digits.length > 16) throw invalid(`invalid argument ${at}: hex number > 64 bits`);
  const number = BigInt(text.toLowerCase());
  if (number >= 2n ** 63n) throw invalid(`invalid argument ${at}: block number larger than int64`);
  return { number };
}

function hash(value: unknown, at: number): string {
  const type = 'common.Hash';
  if (typeof value !== 'string') {
    throw invalid(`invalid argument ${at}: json: cannot unmarshal non-string into Go value of type ${type}`);
  }
  const digits = value.slice(2);
  const wrong = !/^0[xX]/.test(value)
    ? 'hex string without 0x prefix'
    : digits.length % 2 === 1
      ? 'hex string of odd length'
      : null;
  if (wrong !== null)
    throw invalid(`invalid argument ${at}: json: cannot unmarshal ${wrong} into Go value of type ${type}`);
  if (digits.length !== 64) {
    throw invalid(`invalid argument ${at}: hex string has length ${digits.length}, want 64 for ${type}`);
  }
  return value.toLowerCase();
}

function invalid(message: string): RpcError {
  return new RpcError(message, -32602);
}
