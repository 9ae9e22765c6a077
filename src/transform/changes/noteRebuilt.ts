import { literalOrNull } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { timestampOf } from '../bucketTime.ts';
import { hasMetrics, type Model, type PlacedModel } from '../models/model.ts';
import { type Stretch, widestSpan } from './bucketStretches.ts';
import type { DirtyRange } from './dirtyRanges.ts';
import { inputsOf } from './inputsOf.ts';

type Span = Pick<DirtyRange, 'chain' | 'from' | 'until'>;

/** What a build did. */
export interface Rebuilt {
  /** Models in building order. */
  readonly models: readonly PlacedModel[];
  /** The hours that were built again; undefined where all were. */
  readonly ranges: readonly Span[] | undefined;
  /** The stretches of which every bucket was built again. */
  readonly stretches: readonly Stretch[];
  /** Models that were built whole all the same. */
  readonly late: readonly PlacedModel[];
  /** Tables that hold what they held, by lower-case names. */
  readonly staying: ReadonlySet<string>;
  /** Whether a relation that no model makes, by its lower-case name, holds what it held. */
  readonly isSame: (relation: string) => boolean;
}

/** Adds to what a publish must look at: the hours or buckets of relations that are kept by them, all of others. Once one was made; before, it looks at everything. */
export async function noteRebuilt(warehouse: Statements, rebuilt: Rebuilt): Promise<void> {
  const rows = changesOf(rebuilt).map(
    ({ relation, range }) => `(${[relation, range?.chain, range?.from, range?.until].map(literalOrNull).join(', ')})`,
  );
  if (rows.length === 0) return;
  await warehouse.run(
    `INSERT INTO firn.rebuilt SELECT relation, chain_id, CAST("from" AS TIMESTAMP), CAST(until AS TIMESTAMP)
     FROM (VALUES ${rows.join(', ')}) AS b (relation, chain_id, "from", until)
     WHERE EXISTS (SELECT 1 FROM firn.publish_state)
     EXCEPT FROM firn.rebuilt`,
  );
}

interface Change {
  readonly relation: string;
  /** Undefined for any of its rows. */
  readonly range?: Span;
}

/** The tables, and the views that are kept by hours, whose rows a build may have changed. What other views show nobody notes. */
export function changesOf({ models, ranges, stretches, late, staying, isSame }: Rebuilt): Change[] {
  const inputs = inputsOf(models);
  const ofBlocks = inputs.get('staging.evm_change');
  const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
  const isByHours = ({ name, keptAs }: PlacedModel): boolean =>
    keptAs.kind === 'hours' ||
    [...(inputs.get(name) ?? [])].every((input) => {
      const model = byName.get(input);
      return model ? staying.has(input) || model.keptAs.kind === 'hours' : ofBlocks?.has(input) || isSame(input);
    });
  const spansOf = (model: PlacedModel): readonly Span[] | undefined => {
    if (late.includes(model)) return undefined;
    if (hasBuckets(model)) return stretches.map(bucketsOf);
    return hoursOf(model) && isByHours(model) ? ranges : undefined;
  };
  return models
    .filter((model) => (model.keptAs.kind === 'view' ? hoursOf(model) : !staying.has(model.name.toLowerCase())))
    .flatMap((model): Change[] => {
      const relation = model.name;
      const spans = ranges && spansOf(model);
      return spans ? spans.map((range) => ({ relation, range })) : [{ relation }];
    });
}

/** Whether only rows of touched buckets change, by which its files are cut. Levels change in every later bucket, and states without a block. */
const hasBuckets = (model: PlacedModel): boolean =>
  model.keptAs.kind === 'buckets' && !hasMetrics(model) && model.files?.by?.column === 'bucket';

function bucketsOf(stretch: Stretch): Span {
  const { from, until } = widestSpan(stretch);
  return { chain: stretch.chain, from: timestampOf(from), until: timestampOf(until) };
}

/** The tables beneath views that are kept by hours, by lower-case names: while these hold what they held, a publish looks at the hours alone. */
export function underHours(models: readonly PlacedModel[]): ReadonlySet<string> {
  const inputs = inputsOf(models);
  const views = models.filter((model) => model.keptAs.kind === 'view' && hoursOf(model));
  return new Set(views.flatMap(({ name }) => [...(inputs.get(name) ?? [])]));
}

/** What tables that are built whole read, and beside blocks the views that are kept by hours, by lower-case names: either may change without a block. */
export function inputsBesideBlocks(models: readonly PlacedModel[]): ReadonlySet<string> {
  const inputs = inputsOf(models);
  const ofBlocks = inputs.get('staging.evm_change');
  return new Set(
    models.flatMap((model) => {
      const read = [...(inputs.get(model.name) ?? [])];
      if (model.keptAs.kind === 'table') return read;
      return model.keptAs.kind === 'view' && hoursOf(model) ? read.filter((input) => !ofBlocks?.has(input)) : [];
    }),
  );
}

/** The column by which rows of a table or view belong to hours, if its files are cut by it. */
export const hoursOf = ({ keptAs, files }: Pick<Model, 'keptAs' | 'files'>): string | undefined =>
  (keptAs.kind === 'hours' || keptAs.kind === 'view') && keptAs.column === files?.by?.column
    ? keptAs.column
    : undefined;
