import type { MetricFacts } from './metricIndex.ts';
import type { PlottedSeries, ReportData, SeriesColumns, VerdictCount } from './reportData.ts';

/** What a page's script is given beside the markup. */
export interface PagePayload extends Pick<ReportData, 'generatedAt'> {
  /** Id and name. */
  readonly chains: readonly (readonly [string, string])[];
  readonly metrics: readonly MetricFacts[];
  readonly verdicts: readonly VerdictCount[];
  readonly series: readonly PackedSeries[];
  readonly texts: readonly string[];
}

/** A series whose columns are places in `texts`. */
interface PackedSeries extends Omit<PlottedSeries, 'columns'> {
  readonly columns: Readonly<Record<keyof SeriesColumns, number>>;
}
