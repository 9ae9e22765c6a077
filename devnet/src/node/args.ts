import { z } from 'zod';
import { emptyId, isCb58, isNodeId } from '../codec/cb58.ts';
import type { Raw } from '../types.ts';
import { RpcError } from './rpcError.ts';

/** The params object of a platform, avm, avax, index, info or validators call. */
export type Args = Readonly<Record<string, unknown>>;

/** One method of such a service: the result as JSON text or, where it is large, as bytes. Throws RpcError. */
export type Method = (args: Args, now: number) => Raw | Uint8Array;

/** Methods by their names with a capital. */
export type Methods = Readonly<Record<string, Method>>;

/** A method whose arguments are read by their types. */
export function method<S extends z.core.$ZodLooseShape>(
  shape: S,
  answer: (args: z.output<z.ZodObject<S>>, now: number) => Raw | Uint8Array,
): Method {
  const type = z.object(shape);
  return (args, now) => answer(readArgs(type, args), now);
}

/** Reads arguments. There is one answer to every argument that a node cannot read. */
export function readArgs<T>(type: z.ZodType<T>, args: unknown): T {
  const { success, data } = type.safeParse(args);
  if (success) return data;
  throw new RpcError(
    "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
  );
}

/** Params are an object, an array that starts with one, null or absent. */
export const toArgs = (params: unknown): Args =>
  readArgs(z.looseObject({}), (Array.isArray(params) ? params[0] : params) ?? {});

export const string = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

export const strings = z
  .array(z.string())
  .nullish()
  .transform((texts) => texts ?? []);

/**
 * uint64 as a number or as decimal text; absent or null is 0. A whole number above 2^53 has lost digits, but is still printed without an
 * exponent up to 10^21.
 */
export const uint64 = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((value) => String(value ?? 0))
  .pipe(z.string().regex(/^\d+$/))
  .transform(BigInt)
  .refine((value) => value < 2n ** 64n);

/** cb58 of 32 bytes; absent or null is the empty id. */
export const id = z
  .string()
  .refine((text) => isCb58(text, 32))
  .nullish()
  .transform((text) => text ?? emptyId);

export const nodeIds = z
  .array(z.string().refine(isNodeId))
  .nullish()
  .transform((ids) => ids ?? []);

export const encoding = z
  .string()
  .nullish()
  .transform((name) => (name ?? 'hex').toLowerCase())
  .pipe(z.enum(['hex', 'hexc', 'hexnc', 'json']));

export type Encoding = z.output<typeof encoding>;

/** Rewrites recorded `hex` text for another byte encoding. */
export function recodeHex(hex: string, encoding: Encoding): string {
  if (encoding === 'json') throw new RpcError('unsupported encoding in method');
  return encoding === 'hexnc' ? hex.slice(0, -8) : hex;
}
