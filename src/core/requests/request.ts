import type { AnswerKind } from '../json/bounds.ts';

/** Looks whether an answer is what was asked for. Throws FirnError `contract` where it is not: the request is then sent again. */
export type Check = (body: unknown) => unknown;

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: unknown;
  /** Looks at the `result`. */
  readonly check?: Check | undefined;
  /** The bounds of its answer. Default: those of a page; in `rpcMany`, of a range. */
  readonly answer?: AnswerKind | undefined;
  /** Whether an answer beyond the bounds is an outcome in `rpcMany`, like an error of the server: the stream goes on without it. */
  readonly mayExceed?: boolean | undefined;
  /** Whether the stream can ask for its parts in its place: then it is also an outcome in `rpcMany` that a server which is there has no answer to it. */
  readonly inParts?: boolean | undefined;
}

/** Outcome of one call of `rpcMany`: errors are data here, so that a stream can say what a missing part means. */
export type RpcOutcome =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: { readonly code: number; readonly message: string }; readonly result?: undefined };

/** Query parameters; a list is sent as the parameter repeated, and what is undefined or null is left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined | null>>;

/** A request of the paged services. */
export interface Listed {
  readonly path: string;
  readonly query?: Query;
  readonly weight: number;
  readonly check?: Check;
  /** Only a look for the height of a date. */
  readonly look?: boolean;
  /** Steps to what of the answer comes as RawValues: set by the driver for streams that say where their records lie. */
  readonly raw?: readonly string[] | undefined;
}

/** What paging asks for. `weight` counts compute units of the source's quota. */
export type Request = {
  /** What the answer is about, where it does not say so itself (a moment, a key): `records` is told. */
  readonly about?: string | number | undefined;
} & (
  | (Listed & { readonly kind: 'get' })
  | (Listed & {
      readonly kind: 'post';
      readonly body: unknown;
      /** Carrying it out twice would be wrong: sent again only where it surely was not carried out. */
      readonly once?: boolean;
    })
  /** One call; an error of the node is thrown. */
  | {
      readonly kind: 'rpc';
      readonly path: string;
      readonly call: RpcCall;
      readonly look?: boolean;
      /** Steps inside of the `result`. */
      readonly raw?: readonly string[] | undefined;
    }
  /** Many calls, as batches where the server takes them; the body is an RpcOutcome[] in the order of the calls. */
  | {
      readonly kind: 'rpcMany';
      readonly path: string;
      readonly calls: readonly RpcCall[];
      /** Steps inside each `result`; without any, it is left unparsed as a whole. */
      readonly raw?: readonly string[] | undefined;
    }
);

/**
 * What came back. `body` is parsed JSON in which integers above 2^53 are bigint (for rpc: the `result` member);
 * in answers of the metrics service every number literal is kept as text, digit by digit.
 */
export interface Response {
  readonly body: unknown;
  /** Milliseconds since the epoch when the request was sent. */
  readonly fetchedAt: number;
  readonly bytes: number;
}
