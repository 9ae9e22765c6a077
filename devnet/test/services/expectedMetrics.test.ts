import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { intervalsOf, metricNames } from '../../src/services/metrics/metricNames.ts';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

const expectedFile = async (name: string): Promise<Json> =>
  JSON.parse(await readFile(new URL(`../../../test/fixtures/expected/${name}`, import.meta.url), 'utf8'));

/** What an independent program says, as the service would write it: null is a value that does not exist. */
const asServed = (value: Json): number | null =>
  value === null ? null : Number(typeof value === 'object' ? value.value : value);

let services: Harness;
let days: Json;
let others: Json;

beforeAll(async () => {
  services = harness(await packedLedger());
  days = await expectedFile('expected-metrics-day.json');
  others = await expectedFile('expected-metrics-other.json');
});

function expected(chain: string, metric: string, interval: string): Map<number, number> {
  const rows = interval === 'day' ? days[chain] : others[chain][interval];
  const monthIsOver = (at: number): boolean => {
    const date = new Date(at * 1000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) <= services.head;
  };
  return new Map(
    rows
      .filter((row: Json) => interval !== 'month' || monthIsOver(row.timestamp))
      .map((row: Json) => [row.timestamp, asServed(row[metric])])
      .filter(([, value]: [number, number | null]) => value !== null),
  );
}

describe.each([
  ['C', '43112'],
  ['L1', '99001'],
])('%s', (chain, chainId) => {
  test.each(metricNames.flatMap((metric) => intervalsOf(metric).map((interval) => [metric, interval] as const)))(
    '%s by %s equals the independent recomputation',
    (metric, interval) => {
      const rows = services.all(
        `/v2/chains/${chainId}/metrics/${metric}?timeInterval=${interval}&pageSize=2160`,
        'results',
      );
      const served = new Map(rows.map(({ timestamp, value }) => [timestamp, value]));
      expect(served.size).toBeGreaterThan(0);
      expect(Object.fromEntries(served)).toEqual(Object.fromEntries(expected(chain, metric, interval)));
      expect(rows.map(({ timestamp }) => timestamp)).toEqual([...served.keys()].sort((a, b) => b - a));
    },
  );
});
