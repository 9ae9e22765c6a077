import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordedForFile } from '../sql/recordedWarehouse.ts';

type Expected = number | string | null | { readonly num: string; readonly den: string; readonly value: number };
type ExpectedRow = { readonly timestamp: number } & Readonly<Record<string, Expected>>;

const multiInterval = ['activeAddresses', 'activeSenders', 'gasUsed', 'txCount'];

const warehouse = await recordedForFile();
const values = new Map<
  string,
  { numerator: string | null; denominator: string | null; value: number | null; covered: boolean }
>();

async function expected(name: string): Promise<unknown> {
  return JSON.parse(
    await readFile(new URL(`../fixtures/expected/expected-metrics-${name}.json`, import.meta.url), 'utf8'),
  );
}

beforeAll(async () => {
  const rows = await warehouse.query<Record<string, never>>(
    'SELECT chain_id, metric, time_interval, epoch_ms(bucket) // 1000 AS at, numerator, denominator, "value", covered FROM mart.metric',
  );
  for (const { chain_id, metric, time_interval, at, ...rest } of rows)
    values.set([chain_id, metric, time_interval, at].join(), rest as never);
});

describe.each([
  ['C', '43112'],
  ['L1', '99001'],
])('%s', (chain, chainId) => {
  test.each(['day', 'hour', 'week', 'month'])(
    'every metric by %s equals the independent recomputation',
    async (interval) => {
      const days = (await expected('day')) as Record<string, ExpectedRow[]>;
      const others = (await expected('other')) as Record<string, Record<string, ExpectedRow[]>>;
      const rows = (interval === 'day' ? days[chain] : others[chain]?.[interval]) ?? [];
      expect(rows.length).toBeGreaterThan(0);
      let compared = 0;
      for (const row of rows) {
        const metrics =
          interval === 'day'
            ? Object.keys(row).filter((name) => !['date', 'timestamp', 'blocks'].includes(name))
            : multiInterval;
        for (const metric of metrics) {
          const own = values.get([chainId, metric, interval, row.timestamp].join());
          const wanted = row[metric] ?? null;
          const ratio =
            wanted !== null && typeof wanted === 'object'
              ? wanted
              : wanted === null
                ? null
                : { num: String(wanted), den: '1', value: Number(wanted) };
          const where = `${metric} ${interval} ${new Date(row.timestamp * 1000).toISOString()}`;
          expect(own?.covered, where).toBe(true);
          if (ratio === null) {
            expect(own?.numerator, where).toBeNull();
          } else {
            expect(BigInt(own?.numerator ?? -1) * BigInt(ratio.den), where).toBe(
              BigInt(ratio.num) * BigInt(own?.denominator ?? -1),
            );
            expect(own?.value, where).toBe(ratio.value);
          }
          compared++;
        }
      }
      const mine = [...values.keys()].filter((key) => key.startsWith(`${chainId},`) && key.includes(`,${interval},`));
      expect(mine.length).toBe(compared);
    },
  );
});
