import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLedger } from '../../src/devnet/readLedger.ts';
import { buildModels } from '../../src/transform/buildModels.ts';
import { loadBlocks } from './loadLedger.ts';
import { temporaryWarehouse } from './warehouse.ts';

type Expected = number | string | null | { readonly num: string; readonly den: string; readonly value: number };
type ExpectedRow = { readonly timestamp: number } & Readonly<Record<string, Expected>>;

const multiInterval = ['activeAddresses', 'activeSenders', 'gasUsed', 'txCount'];

let test: Awaited<ReturnType<typeof temporaryWarehouse>>;
const values = new Map<
  string,
  { numerator: string | null; denominator: string | null; value: number | null; covered: boolean }
>();
const seconds: Record<string, number> = {};

async function expected(name: string): Promise<unknown> {
  return JSON.parse(
    await readFile(new URL(`../fixtures/expected/expected-metrics-${name}.json`, import.meta.url), 'utf8'),
  );
}

beforeAll(async () => {
  test = await temporaryWarehouse();
  const ledger = await readLedger();
  let t = performance.now();
  for (const chain of [ledger.c, ...ledger.l1s]) await loadBlocks(test.warehouse, chain);
  seconds['load'] = (performance.now() - t) / 1000;
  t = performance.now();
  const built = await buildModels(test.warehouse);
  seconds['build'] = (performance.now() - t) / 1000;
  console.log(
    seconds,
    built.filter((b) => b.kind === 'table').map((b) => `${b.name} ${b.rows} ${b.seconds.toFixed(2)}`),
  );
  const rows = await test.warehouse.query<Record<string, never>>(
    'SELECT chain_id, metric, time_interval, epoch_ms(bucket) // 1000 AS at, numerator, denominator, "value", covered FROM mart.metric',
  );
  for (const { chain_id, metric, time_interval, at, ...rest } of rows)
    values.set([chain_id, metric, time_interval, at].join(), rest as never);
}, 120_000);

afterAll(() => test.dispose());

describe.each([
  ['C', '43112'],
  ['L1', '99001'],
])('%s', (chain, chainId) => {
  it.each(['day', 'hour', 'week', 'month'])(
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
