import type { Layout } from '../../core/columns/layout.ts';
import type { FirnError } from '../../core/firnError.ts';
import type { SqlPlace } from '../sqlError.ts';
import type { Metric } from './metric.ts';

/** How a model is kept: as a view, rebuilt whole, or brought up to date where blocks changed. */
export type KeptAs =
  /** Where it names a time column: rows belong to hours by it, and change with the blocks of their hour or with what else it reads. */
  | { readonly kind: 'view'; readonly column?: string }
  | { readonly kind: 'table'; readonly changed?: Changed }
  /** Rows belong to hours by this column; the hours of changed blocks are replaced. */
  | { readonly kind: 'hours'; readonly column: string }
  /** Rows belong to buckets of an interval; buckets that changed are replaced. */
  | { readonly kind: 'buckets' }
  /** One row per key, every other column the earliest of something. */
  | { readonly kind: 'earliest'; readonly key: readonly string[] };

/**
 * Which rows of a table loads may have changed: SELECTs by column, each of one column of that name. The first is the key by which rows are
 * replaced, and NULL in it means all. What each gives is known as `firn_<column>` to those after it and to the model.
 */
export type Changed = Readonly<Record<string, string>>;

/** One `.sql` file: a SELECT that builds a table or view, with what its header says. */
export interface Model extends SqlPlace {
  /** `schema.table`. */
  readonly name: string;
  /** The SELECT alone. */
  readonly sql: string;
  /** What it holds, and its pitfalls for readers. */
  readonly description: string;
  readonly keptAs: KeptAs;
  /** Whether it holds all that was ever read, however old, as a table that is built whole, or a view that says so: nothing is dropped from the raw tables under it then. */
  readonly isWhole: boolean;
  /** How its files are cut and ordered; a view without it has no file. */
  readonly files: Layout | null;
  /** Descriptions by column. */
  readonly columns: Readonly<Record<string, string>>;
  /** The metric that it is; null for any other model. */
  readonly metric: Metric | null;
}

/** A model in its place among the others. */
export interface PlacedModel extends Model {
  /** Tables and views it reads, other models or not. */
  readonly references: readonly string[];
  /** Hash of its SQL and of every model under it: its version. */
  readonly hash: string;
  /** Why DuckDB cannot parse it; its references are unknown then. */
  readonly problem: FirnError | null;
}

/** Whether a model is built only where blocks changed. */
export const isByBlocks = ({ keptAs }: Pick<Model, 'keptAs'>): boolean =>
  keptAs.kind === 'hours' || keptAs.kind === 'buckets' || keptAs.kind === 'earliest';

/** Whether its rows are of metrics, each named in its row: those of levels change in every later bucket, too. */
export const hasMetrics = ({ columns }: Pick<Model, 'columns'>): boolean => 'metric' in columns;

/** The SELECTs of a model's header that say which of its rows loads may have changed, by column. */
export const changedOf = ({ keptAs }: Pick<Model, 'keptAs'>): [column: string, sql: string][] =>
  keptAs.kind === 'table' ? Object.entries(keptAs.changed ?? {}) : [];
