import { FirnError } from '../firnError.ts';

/** The kind of an answer: declared where it is asked for, never guessed from a URL. */
export type AnswerKind = 'page' | 'range' | 'traces';

/** The most that is taken of one answer. */
export interface Bounds {
  readonly kind: AnswerKind;
  /** After decompression. */
  readonly bytes: number;
  /** Values of all depths: commas and opening brackets outside of strings. */
  readonly values: number;
  /** Items of one list, members of one object. */
  readonly items: number;
  /** Objects and lists inside of each other; what is nested deeper is not parsed, and its record is quarantined. */
  readonly depth: number;
}

const MiB = 2 ** 20;

/**
 * Real answers stay far below. Of all in the recordings the largest page (100 transactions of the P-Chain) has 450 kB, 15,000
 * values and a depth of 8, the largest range (1,024 containers) 2.6 MB, the largest batch (32 blocks) 270 kB and a depth of 19; a value takes 16
 * bytes (metrics) to 420 (containers), so that half a million of them are 8 MB at least.
 *
 * An answer is bytes and text at once while it is parsed, and a range may wait beside the one before; half a million values take up to
 * 90 MiB as objects. With these bounds no answer takes the process more than 256 MiB above what it is without one, which
 * `test/hostile/memory.test.ts` measures. A range of 128 MiB would take 400: less of it is asked for, which costs a request.
 */
const page: Bounds = { kind: 'page', bytes: 32 * MiB, values: 500_000, items: 50_000, depth: 100 };
const range: Bounds = { ...page, kind: 'range', bytes: 48 * MiB };
/** The EVM lets calls nest 1,024 deep; each is an object in a list. */
const traces: Bounds = { ...range, kind: 'traces', depth: 2_100 };

/** The most that is taken of an answer, by its kind. */
export const bounds: Readonly<Record<AnswerKind, Bounds>> = { page, range, traces };

/** Bytes of answers that all requests of a process together hold at a time, read and not yet parsed. */
export const bytesInFlight = 128 * MiB;

/** The most that is taken of one row of a CSV: as many columns as PostgreSQL allows in a table, and characters. */
export const csvBounds = { columns: 1_600, line: MiB } as const;

const said = {
  bytes: (most: number) => `more than ${most / MiB} MiB unpacked`,
  values: (most: number) => `more than ${most} values`,
  items: (most: number) => `a list or an object with more than ${most} items`,
};

const next: Readonly<Record<AnswerKind, string>> = {
  page: 'Ask for smaller pages (pageSize of the stream, where it has one), and check the URL of this source if that does not help.',
  range: 'Less than this cannot be asked for at once: check the URL of this source.',
  traces:
    'Less than this cannot be asked for at once: read the stream with traces: false, or check the URL of this source.',
};

/**
 * The error of an answer beyond a bound. A page is asked for again, since a server in trouble may recover; of a range or batch
 * less is asked for, so that it is final for whoever cannot.
 *
 * @param size what more is known of its size
 */
export function beyond({ kind, ...most }: Bounds, bound: keyof typeof said, size?: string): FirnError {
  const what = `${said[bound](most[bound])}${size === undefined ? '' : ` (${size})`}`;
  return new FirnError(
    'contract',
    `The answer holds ${what}, the most that firn takes of a ${kind === 'page' ? 'page' : 'range or batch'}. ${next[kind]}`,
    { retryable: kind === 'page', context: { reason: 'too_large', bound, most: most[bound], acted: true } },
  );
}
