import type { Model } from '../../transform/model.ts';
import type { Reach } from './probeChain.ts';

/** What a metric is computed from. */
export type Input = 'blocks' | 'receipts' | 'traces';

export interface MetricNeed {
  readonly metric: string;
  readonly input: Input;
  /** Cumulative metrics need it from genesis on. */
  readonly sinceGenesis: boolean;
}

/** What a source gives of a chain. */
export type Given = Readonly<Record<Input, Reach>>;

/** What a chain gives of which nothing is known but its containers. */
export const containersGive: Given = { blocks: 'genesis', receipts: 'none', traces: 'none' };

/** The data service lists transactions, not every block with its parent: nothing it gives proves that no block is missing. */
export const dataServiceGives: Given = { blocks: 'none', receipts: 'none', traces: 'none' };

/** What each metric needs, as the headers of the models in `sql/models/mart/metric_*.sql` declare it. */
export function metricNeeds(models: readonly Pick<Model, 'name' | 'description'>[]): MetricNeed[] {
  return models.flatMap(({ name, description }) => {
    const [, metric] = /^mart\.metric_(\w+)$/.exec(name) ?? [];
    const [, input, since] =
      /\bNeeds (?:every )?(block|receipt|trace)s?\b[^.]*?( since genesis)?\./.exec(description) ?? [];
    return metric && input ? [{ metric, input: `${input}s` as Input, sinceGenesis: since !== undefined }] : [];
  });
}

/** Whether what a source gives is enough for a metric. */
export const isAllowed = ({ input, sinceGenesis }: MetricNeed, given: Given): boolean =>
  sinceGenesis ? given[input] === 'genesis' : given[input] !== 'none';

/** The better of what two sources give. */
export function together(a: Given, b: Given): Given {
  const rank = ['none', 'recent', 'genesis'];
  const better = (input: Input) => (rank.indexOf(a[input]) >= rank.indexOf(b[input]) ? a[input] : b[input]);
  return { blocks: better('blocks'), receipts: better('receipts'), traces: better('traces') };
}
