import { decodeCb58, EMPTY_ID } from '../cb58.ts';
import { RpcError } from './rpcError.ts';

/** The params object of a platform, avm, avax, index, info or validators call. */
export type Args = Readonly<Record<string, unknown>>;

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json';

/** The one answer to every argument that a node cannot read. */
function badArgument(): RpcError {
  return new RpcError(
    "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
  );
}

/** Params are an object, an array that starts with one, null or absent. */
export function toArgs(params: unknown): Args {
  const args = Array.isArray(params) ? params[0] : params;
  if (args === undefined || args === null) return {};
  if (typeof args !== 'object' || Array.isArray(args)) throw badArgument();
  return args as Args;
}

/** uint64 as a number or as decimal text; absent or null is 0. */
export function uint64Arg(args: Args, name: string): bigint {
  const value = args[name];
  if (value === undefined || value === null) return 0n;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  // A whole number above 2^53 has lost digits, but is still printed without an exponent up to 10^21.
  if (!/^\d+$/.test(text) || BigInt(text) >= 2n ** 64n) throw badArgument();
  return BigInt(text);
}

/** cb58 of 32 bytes; absent or null is the empty id. */
export function idArg(args: Args, name: string): string {
  const value = args[name];
  if (value === undefined || value === null) return EMPTY_ID;
  if (typeof value !== 'string' || decodeCb58(value, 32) === null) throw badArgument();
  return value;
}

export function nodeIdsArg(args: Args, name: string): readonly string[] {
  const ids = stringsArg(args, name);
  for (const id of ids) {
    if (!id.startsWith('NodeID-') || decodeCb58(id.slice(7), 20) === null) throw badArgument();
  }
  return ids;
}

export function stringArg(args: Args, name: string): string {
  const value = args[name] ?? '';
  if (typeof value !== 'string') throw badArgument();
  return value;
}

export function stringsArg(args: Args, name: string): readonly string[] {
  const value = args[name] ?? [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) throw badArgument();
  return value as string[];
}

export function encodingArg(args: Args): Encoding {
  const value = args['encoding'] ?? 'hex';
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  if (name === 'hex' || name === 'hexc' || name === 'hexnc' || name === 'json') return name;
  throw badArgument();
}

/** Rewrites recorded `hex` text for another byte encoding. */
export function recodeHex(hex: string, encoding: Encoding): string {
  if (encoding === 'json') throw new RpcError('unsupported encoding in method');
  return encoding === 'hexnc' ? hex.slice(0, -8) : hex;
}
