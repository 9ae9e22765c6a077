import type { SourceColumn } from './typeProfile.ts';

/** How the rows of a table are cut into files. */
export interface TableLayout {
  /** Column whose values are the first level of folders. */
  readonly chain: string | undefined;
  /** Column that gives the second level: a time by month, or a height by range; none = one file for the table. */
  readonly by: { readonly kind: 'time' | 'height'; readonly column: string } | undefined;
  /** Columns that order the rows of a file. */
  readonly sort: readonly string[];
  /** Column whose first and last value name the file. */
  readonly range: string | undefined;
}

/** Names that stand for a chain; the first that a table has counts. */
const chains = ['chain_id', 'index_name', 'blockchain', 'network'];
/** Names that stand for the time of what a row tells (never of when it was read or changed), best first. */
const times = ['block_timestamp', 'timestamp', 'bucket', 'block_time', 'vertex_timestamp', 'time', 'hour', 'day'];
/** Names that stand for a height. */
const heights = ['number', 'height', 'block_number', 'block_height', 'vertex_height', 'index'];
/** Names that come before the height: one series after the other reads and compresses better. */
const series = ['metric', 'time_interval'];
/** Names that order the rows of one height. */
const places = ['tx_index', 'transaction_index', 'log_index', 'frame', 'position', 'output_index', '_valid_from'];

const isTime = (type: string) => type.startsWith('TIMESTAMP') || type === 'DATE';
const isNumber = (type: string) => /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/.test(type);

/** Hive column of the second level. */
export const partitionColumn = { time: 'month', height: 'block_range' } as const;

/**
 * Cuts a table by chain and month where it has both, by chain and range of heights where it has only heights, and else not
 * at all. Snapshots (rows with a history) are small and change anywhere: they are one file.
 */
export function tableLayout(columns: readonly SourceColumn[]): TableLayout {
  const declares = columns.some(({ nullable }) => !nullable);
  const typed = (names: readonly string[], fits: (type: string) => boolean) =>
    names.find((name) =>
      columns.some((column) => column.name === name && fits(column.type) && !(declares && column.nullable)),
    );
  const has = (name: string) => columns.some((column) => column.name === name);
  const chain = typed(chains, (type) => type === 'VARCHAR');
  const time = typed(times, isTime);
  const height = typed(heights, isNumber);
  const isSnapshot = has('_valid_to');
  const by = partition(isSnapshot, time, height);
  const range = height ?? time;
  const sort = [chain, ...series.filter(has), height, time, ...places.filter(has)].filter((name) => name !== undefined);
  return { chain: by && chain, by, sort, range };
}

function partition(isSnapshot: boolean, time: string | undefined, height: string | undefined): TableLayout['by'] {
  if (isSnapshot) return undefined;
  if (time !== undefined) return { kind: 'time', column: time };
  return height === undefined ? undefined : { kind: 'height', column: height };
}
