import type { ColumnType } from '../columns/columnType.ts';

/** One set of parameters of a stream, with its own checkpoint. */
export interface Partition {
  /** Leading columns of every row, by column name. */
  readonly values: Readonly<Record<string, string>>;
  /** Filters that change what the source answers; part of the partition's identity, not columns. */
  readonly filters?: Readonly<Record<string, string | number | boolean>>;
  /** Filters that are lists of names: where only they changed, the partition goes on with what was read before. */
  readonly lists?: readonly string[];
  /** Filters that only say what is read beside its rows, and may be left out: where they changed, it goes on, too. */
  readonly extras?: readonly string[];
  /** What paging needs beyond the values: paths, floors, parsed bounds. Not part of the identity. */
  readonly settings?: object;
  /** Keys that a lookup asks for in one run at most. */
  readonly budget?: number;
  /** Seconds below its checkpoint that each sync reads again. */
  readonly lookback?: number;
  /** Where its first read begins, where that is not what the parameter `from` says. */
  readonly from?: string;
  /** What a plan says of it. */
  readonly notes?: readonly string[];
}

/** A partition with the settings of its stream. */
export type PartitionWith<Settings extends object> = Partition & { readonly settings: Settings };

/** Where a partition stands; the way of reading decides its members. JSON, durable as the checkpoint. */
export type Position = Readonly<Record<string, unknown>>;

/** Name and type of a partition column. */
export interface PartitionColumn {
  readonly name: string;
  readonly description: string;
  readonly type?: ColumnType;
}

/** Canonical text of a partition: its values and filters, in order of their names. The key of its checkpoint. */
export function partitionKey(partition: Partition): string {
  const members = Object.entries({ ...partition.values, ...partition.filters });
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, value]) => `${name}=${escaped(value)}`).join(',') || 'all';
}

/** The values and filters that a partition's key names. */
export function partitionMembers(key: string): ReadonlyMap<string, string> {
  const members = key === 'all' ? [] : [...key.matchAll(/([^=,]+)=((?:\\.|[^\\,])*)/g)];
  return new Map(members.map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, '$1')]));
}

/** Commas inside a value must not look like the end of it. */
const escaped = (value: string | number | boolean) => String(value).replace(/[\\,]/g, '\\$&');
