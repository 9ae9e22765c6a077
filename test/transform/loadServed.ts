import { createServices, type Ledger, type ServedFault } from 'firn-devnet';
import { parseLossless } from '../../src/core/json/parseLossless.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { commitRecords } from './loadLedger.ts';
import { allowedIntervals, chainMetrics, metricNames } from './metricSeries.ts';

export interface ServedOptions {
  readonly faults?: readonly ServedFault[];
  /** Chain time in milliseconds; the end of the history by default. */
  readonly head?: number;
  readonly chains: readonly string[];
  readonly metrics?: readonly string[];
  readonly fetchedAt?: number;
}

/** Asks the embedded metrics service for whole series and commits them as the stream does, with empty answers too. */
export async function loadServed(warehouse: Warehouse, ledger: Ledger, options: ServedOptions): Promise<void> {
  const services = createServices(
    ledger,
    { now: () => options.head ?? ledger.lastMoment },
    { servedFaults: options.faults ?? [] },
  );
  for (const chain of options.chains) {
    for (const metric of options.metrics ?? metricNames) {
      for (const interval of allowedIntervals(metric)) {
        const query = new URLSearchParams({ timeInterval: interval, pageSize: '2160' });
        const answer = services({
          method: 'GET',
          path: `/v2/chains/${chain}/metrics/${metric}`,
          query,
          headers: { host: 'devnet.test' },
          body: '',
        });
        if (answer?.status !== 200) throw new Error(`${chain} ${metric}: ${answer?.status} ${String(answer?.body)}`);
        const body = parseLossless(String(answer.body), { numbers: 'text' }) as {
          results: unknown[];
          nextPageToken?: string;
        };
        if (body.nextPageToken) throw new Error('a series of the ledger fits one page');
        await loadPoints(warehouse, { chain, metric, interval }, body.results, options.fetchedAt ?? Date.now());
      }
    }
  }
}

/** Commits data points of one series. */
export async function loadPoints(
  warehouse: Warehouse,
  { chain, metric, interval }: { chain: string; metric: string; interval: string },
  results: readonly unknown[],
  fetchedAt: number,
): Promise<void> {
  const partition = { values: { chain_id: chain, metric, time_interval: interval } };
  await commitRecords(warehouse, chainMetrics, partition, results, fetchedAt);
}
