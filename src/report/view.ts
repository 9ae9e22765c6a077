import type { PageLimits } from './limits.ts';
import { type MetricIndex, metricIndex } from './metricIndex.ts';
import type { ReportData } from './reportData.ts';
import { cutTexts } from './texts/cutTexts.ts';

/** What the sections of a page are made from. */
export interface View {
  readonly data: ReportData;
  readonly limits: PageLimits;
  readonly metrics: MetricIndex;
  /** Chains whose series are drawn. */
  readonly drawn: readonly string[];
  /** Name of a chain with its id, as people know it. */
  chainName(chainId: string): string;
}

export function createView(whole: ReportData, limits: PageLimits): View {
  const { series, metrics, ...rest } = whole;
  const data: ReportData = {
    ...cutTexts(rest, limits.text),
    metrics,
    // Columns of numbers are long.
    series: series.map(({ columns, ...one }) => ({ ...cutTexts(one, limits.text), columns })),
  };
  const withId = (name: string, chainId: string) => (name.includes(chainId) ? name : `${name} (${chainId})`);
  const names = new Map([
    ...data.servedNames.map(({ chainId, name }) => [chainId, withId(name, chainId)] as const),
    ...data.chains.map(({ chainId, name, vm }) => [chainId, vm === 'evm' ? withId(name, chainId) : name] as const),
  ]);
  return {
    data,
    limits,
    metrics: metricIndex(metrics),
    drawn: [...new Set(data.series.map(({ chainId }) => chainId))].slice(0, limits.plots),
    chainName: (chainId) => names.get(chainId) ?? `Chain ${chainId}`,
  };
}

/** An id for an element that texts identify: the same texts always give the same id, others another. */
export const anchor = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.replace(/[^a-zA-Z0-9]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`))
    .join('-');
