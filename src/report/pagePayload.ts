import type { PlottedSeries, ReportData, SeriesColumns } from './reportData.ts';

/** What a page's script is given beside the markup. */
export interface PagePayload extends Pick<ReportData, 'generatedAt' | 'metrics' | 'verdicts'> {
  /** Id and name. */
  readonly chains: readonly (readonly [string, string])[];
  readonly series: readonly PackedSeries[];
  readonly texts: readonly string[];
}

/** A series whose columns are places in `texts`. */
interface PackedSeries extends Omit<PlottedSeries, 'columns'> {
  readonly columns: Readonly<Record<keyof SeriesColumns, number>>;
}
