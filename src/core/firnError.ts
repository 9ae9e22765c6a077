/** What kind of failure it was. The exit code follows from it (see `exitCode.ts`). */
export type ErrorCode =
  /** The command line or a call is wrong. */
  | 'usage'
  /** The configuration file or an environment variable is wrong. */
  | 'config'
  /** Another run holds the warehouse. */
  | 'locked'
  /** What was written was taken back with something else that failed: reading on from the checkpoint helps. */
  | 'rolled_back'
  /** The server or the configured quota says: not now. */
  | 'rate_limited'
  /** The server did not give a usable answer, though asking again may help. */
  | 'unavailable'
  /** The server refuses the request as it was made: asking the same again gives the same answer. */
  | 'refused'
  /** The key is missing, wrong, or not allowed to ask for this. */
  | 'unauthorized'
  /** No space or no permission to write. */
  | 'disk'
  /** The server's answer breaks what the pipeline declares about it. */
  | 'contract'
  /** Records were quarantined because they could not be read. */
  | 'quarantined'
  /** A recomputed number disagrees with a served one. */
  | 'mismatch'
  /** The server does not offer this method or API (an index switched off, for instance). */
  | 'not_offered'
  /** The thing asked for is not there. */
  | 'not_found'
  /** Bytes that should be a transaction, block or answer cannot be decoded. */
  | 'decode'
  /** The endpoint serves another network than the warehouse holds. */
  | 'network_mismatch'
  /** The source holds less than was already drained from it. */
  | 'source_shrank'
  /** A signal stopped the run. */
  | 'interrupted'
  /** The warehouse was written by a newer version. */
  | 'newer_warehouse'
  /** Anything else. */
  | 'failed';

/** Facts about a failure: those that callers decide on have a name and a type here, others are for the log. Never a secret. */
export interface ErrorFacts {
  /** HTTP status of the answer. */
  readonly status?: number | undefined;
  /** The end of the message: what to do where firn does not ask again by itself. */
  readonly next?: string | undefined;
  /** What it was in more detail; callers look for some of them, such as `too_large`, `unreachable`, `behind` and `late_begin`. */
  readonly reason?: string | undefined;
  /** False where the server surely carried nothing out. */
  readonly acted?: boolean | undefined;
  /** How long the server wants no request. */
  readonly retryAfterMs?: number | undefined;
  /** Code and message of a JSON-RPC error. */
  readonly rpcCode?: number | undefined;
  readonly rpcMessage?: string | undefined;
  /** The text in a list of the configuration that is wrong, or a part of it. */
  readonly given?: string | undefined;
  /** The answer is not in the words of an API. */
  readonly isForeign?: boolean | undefined;
  /** Of a range that a source does not give whole: the first position that it lacks. What lies before it can be asked for. */
  readonly lacks?: number | undefined;
  /** Of a source that begins above where it is to be read from: the bound from which on it has all. */
  readonly begins?: string | undefined;
  /** Relations that readers cannot have. */
  readonly relations?: readonly string[] | undefined;
  /** Of a lookup whose source answered for none of its keys: those that it says are not there. */
  readonly missed?: readonly string[] | undefined;
  /** The signal that interrupted: SIGINT, SIGTERM. */
  readonly signal?: unknown;
  readonly [fact: string]: unknown;
}

export interface FirnErrorOptions {
  /** Whether the same request may succeed when made again. Default: false. */
  retryable?: boolean;
  context?: ErrorFacts;
  cause?: unknown;
}

/** The one error class. The message says what failed, where, and what to do next. */
export class FirnError extends Error {
  override readonly name = 'FirnError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly context: ErrorFacts;

  constructor(code: ErrorCode, message: string, options: FirnErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.context = options.context ?? {};
  }
}

/** Whether it is an error of firn's own with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is FirnError =>
  error instanceof FirnError && codes.includes(error.code);

/** What an error says without what to do next. */
export const withoutNext = ({ message, context }: FirnError): string =>
  context.next === undefined ? message : message.replace(` ${context.next}`, '');

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is reported of an error: its message, and its code, which is `failed` for one that is not firn's own. */
export const problemOf = (error: unknown): { readonly code: ErrorCode; readonly message: string } => ({
  code: error instanceof FirnError ? error.code : 'failed',
  message: messageOf(error),
});
