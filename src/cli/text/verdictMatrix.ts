import { agreeingVerdicts } from '../../report/verdicts/verdictFacts.ts';
import { intervals } from '../../transform/bucketTime.ts';
import { textTable } from './textTable.ts';

/** One verdict of a chain, metric and interval with the number of its buckets. */
export interface MatrixCount {
  readonly chain_id: string;
  readonly metric: string;
  readonly time_interval: string;
  readonly verdict: string;
  readonly buckets: bigint;
}

const short: Record<string, string> = { equal_rounded: 'rounded', served_provisional: 'provisional' };

/** Metric by interval for one chain: how many buckets agree, and what the others are: those too that agree but for their decimals. */
export function verdictMatrix(counts: readonly MatrixCount[]): string {
  const metrics = [...new Set(counts.map(({ metric }) => metric))];
  const rows = metrics.map((metric) => [
    metric,
    ...intervals.map((interval) =>
      cell(counts.filter((count) => count.metric === metric && count.time_interval === interval)),
    ),
  ]);
  return textTable(['metric', ...intervals], rows);
}

function cell(counts: readonly MatrixCount[]): string {
  const equal = counts
    .filter(({ verdict }) => agreeingVerdicts.includes(verdict))
    .reduce((sum, { buckets }) => sum + Number(buckets), 0);
  const others = counts
    .filter(({ verdict }) => !agreeingVerdicts.includes(verdict))
    .map(({ verdict, buckets }) => `${buckets} ${short[verdict] ?? verdict}`);
  return [...(equal > 0 ? [`${equal} equal`] : []), ...others].join(', ');
}
