/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { literal } from '../../../src/core/text/sqlText.ts';
import { readBegun } from '../../../src/load/commit/begun.ts';
import { bucketEnd, bucketStart, type Interval, timestampOf } from '../../../src/transform/bucketTime.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { judge, type VerdictStore } from '../../../src/transform/reconcile/reconcile.ts';
import { seriesName } from '../../../src/transform/reconcile/servedSeries.ts';
import { writePlainVerdicts } from '../../../src/transform/reconcile/writePlainVerdicts.ts';
import { writeVerdicts } from '../../../src/transform/reconcile/writeVerdicts.ts';
import { scopedQuery } from '../../../src/transform/scope.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { metricModels } from '../metricModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

let built: TestWarehouse;
let models: Model[];
beforeAll(async () => {
  built = await temporaryWarehouse();
  models = await metricModels();
  await buildModels(built.warehouse, { models });
}, 120_000);
afterAll(() => built.dispose());

/** Series that were judged by one look, and all. */
const seen = { plain: 0, all: 0 };

/** What `reconcile` does, by one look where that is enough or only by a close one. */
const reconcileBy = (look: 'one' | 'close') =>
  built.warehouse.transaction(async (tx) => {
    await tx.run('DELETE FROM mart.reconciliation');
    const store: VerdictStore = {
      ...scopedQuery(tx),
      begun: await readBegun(tx.query),
      write: (series, verdicts) => writeVerdicts(tx, series, verdicts),
      replace: async () => {},
      ...(look === 'one' && {
        writePlain: async (asked, isLevel) => {
          const rows = await writePlainVerdicts(tx, asked, isLevel);
          seen.plain += rows.length;
          seen.all += asked.length;
          return rows;
        },
      }),
    };
    return judge(store, { models });
  });

const verdicts = () => built.warehouse.query('SELECT * FROM mart.reconciliation ORDER BY ALL');

/** What is odd of a bucket; most are not. */
const oddities = [
  'none',
  'absent',
  'uncovered',
  'no_value',
  'overflows',
  'open',
  'quotient',
  'large',
  'huge',
  'negative',
  'unlinked',
] as const;
const answers = [
  'same',
  'absent',
  'null',
  'another',
  'padded',
  'exponent',
  'decimals',
  'text',
  'huge',
  'negative',
] as const;
const mostly = <T>(usual: T, others: readonly T[], weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const bucketsOf = (weight: number) =>
  fc.array(
    fc.record({
      own: mostly<(typeof oddities)[number]>('none', oddities, weight),
      served: mostly<(typeof answers)[number]>('same', answers, weight),
      number: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 ** 40 })),
      agreed: fc.boolean(),
      isWithdrawn: mostly(false, [true], weight),
    }),
    { maxLength: 9 },
  );
const seriesOf = fc.record({
  metric: fc.constantFrom(
    'txCount',
    'gasUsed',
    'activeSenders',
    'avgTps',
    'cumulativeTxCount',
    'cumulativeAddresses',
    'unheardOf',
  ),
  interval: fc.constantFrom<Interval>('hour', 'day', 'week', 'month'),
  /** Before which bucket nothing is held. */
  heldFrom: mostly(0, [2, 5, 99], 3),
  firstBlock: fc.constantFrom<number>(1, 9),
  /** From when on it was asked for. */
  begun: mostly('2020-01-01', ['2026-01-31', '2026-02-03', '2026-03-15'], 2),
  /** From which one on nothing was served, or held. */
  servedUntil: mostly(99, [0, 3, 7], 3),
  heldUntil: mostly(99, [0, 4, 8], 3),
  /** Whether one more is served that is dated ahead. */
  isAhead: mostly(false, [true], 3),
  buckets: fc.oneof(bucketsOf(60), bucketsOf(8)),
});
type MadeUp = Parameters<Parameters<typeof seriesOf.map>[0]>[0];

const first = Date.UTC(2026, 0, 31) / 1000;

async function place(wanted: readonly (MadeUp & { readonly chain: string })[], newest: number): Promise<void> {
  const coverage = new Map<string, string>();
  const own: string[] = [];
  const served: string[] = [];
  const revisions: string[] = [];
  const loads: string[] = [];
  const begins: string[] = [];
  for (const one of wanted) {
    const { chain, begun, metric, interval, heldFrom, firstBlock, heldUntil, servedUntil, isAhead, buckets } = one;
    const partition = literal(`chain_id=${chain},metric=${metric},time_interval=${interval}`);
    loads.push(
      `SELECT ${loads.length} AS load_id, '' AS run_id, 'metrics/chain_metrics' AS stream, ${partition} AS "partition", 1 AS pages, ` +
        "0 AS rows_in, 0 AS rows_written, 0 AS rows_quarantined, 0 AS bytes, TIMESTAMP '2030-01-01' AS committed_at",
    );
    begins.push(`SELECT 'metrics/chain_metrics' AS stream, ${partition} AS "partition", '${begun}' AS "from"`);
    const servedAt = (at: string, text: string) =>
      `SELECT ${literal(chain)} AS chain_id, '${metric}' AS metric, '${interval}' AS time_interval, ${at} AS "timestamp", ${text} AS value_text`;
    // Another metric tells of two answers when each was given.
    for (const [load, date] of [
      [1, '2040-01-01'],
      [2, '2040-01-02'],
    ])
      revisions.push(
        `SELECT ${literal(chain)} AS chain_id, 'of_time' AS metric, 'day' AS time_interval, TIMESTAMP '${date}' AS "timestamp", '0' AS value_text, ` +
          `${load} AS _load_id, false AS withdrawn, TIMESTAMP '2041-01-01' AS fetched_at`,
      );
    if (isAhead) served.push(`${servedAt("TIMESTAMP '2099-01-01'", "'0'")}, 1 AS _load_id, false AS withdrawn`);
    let bucket = bucketStart(interval, first);
    for (const [i, { own: oddity, served: answer, number, agreed, isWithdrawn }] of buckets.entries()) {
      const at = `TIMESTAMP '${timestampOf(bucket)}'`;
      const key = `${literal(chain)} AS chain_id, '${interval}' AS time_interval, ${at} AS bucket`;
      const amount = { large: 2n ** 53n + 1n, huge: 10n ** 30n, negative: -5n }[oddity as string] ?? BigInt(number);
      if (oddity !== 'absent' && i >= heldFrom && i < heldUntil) {
        coverage.set(
          key,
          `SELECT ${key}, ${oddity !== 'unlinked'} AS blocks_covered, TIMESTAMP '${timestampOf(newest)}' AS last_block_time`,
        );
        const value = ['no_value', 'overflows', 'uncovered'].includes(oddity) ? 'NULL' : `${amount}`;
        const divisor = oddity === 'uncovered' ? 'NULL' : oddity === 'quotient' ? '7' : '1';
        own.push(
          `SELECT ${key}, '${metric}' AS metric, ${value}::DECIMAL(38,0) AS numerator, ${divisor}::DECIMAL(38,0) AS denominator, ` +
            `'${oddity === 'open' ? 'open' : number % 2 === 0 ? 'closed' : 'settled'}' AS state, ${oddity !== 'uncovered'} AS covered, ${firstBlock + i - heldFrom} AS first_block, ${oddity === 'overflows'} AS overflows, 'hash' AS sql_hash`,
        );
      }
      const text = {
        same: `'${amount}'`,
        null: 'NULL',
        another: `'${amount + 1n}'`,
        padded: `'0${amount}'`,
        exponent: `'${amount}e0'`,
        decimals: `'${amount}.0'`,
        text: `'much'`,
        huge: `'${10n ** 20n}'`,
        negative: `'-1'`,
      }[answer as string];
      if (text !== undefined && i < servedUntil) {
        const row = servedAt(at, text);
        served.push(`${row}, 1 AS _load_id, ${isWithdrawn} AS withdrawn`);
        const fetched = bucketEnd(interval, bucket) + 86_400;
        for (const [load, moment] of [[1, fetched], ...(agreed ? [[2, fetched + 90_000]] : [])] as const)
          revisions.push(
            `${row}, ${load} AS _load_id, TIMESTAMP '${timestampOf(moment as number)}.123456' AS fetched_at`,
          );
      }
      bucket = bucketEnd(interval, bucket);
    }
  }
  const inserts = [
    ['firn.load', loads],
    ['firn.begun', begins],
    ['firn.coverage', [...coverage.values()]],
    ['mart.metric', own],
    ['raw.metrics_chain_metrics', served.toReversed()],
    ['raw.metrics_chain_metrics_revisions', revisions],
  ] as const;
  const statements = inserts.flatMap(([table, rows]) => [
    `DELETE FROM ${table}`,
    ...(rows.length > 0 ? [`INSERT INTO ${table} BY NAME ${rows.join(' UNION ALL BY NAME ')}`] : []),
  ]);
  await built.warehouse.run(statements.join(';\n'));
}

test('a series of which nothing newer is served for long is looked at closely, which notes it', async () => {
  const bucket = { own: 'none', served: 'same', number: 1, agreed: false, isWithdrawn: false } as const;
  const of = { chain: '7001', metric: 'txCount', interval: 'day', begun: '2020-01-01', isAhead: false } as const;
  const until = { heldFrom: 0, firstBlock: 9, heldUntil: 99, servedUntil: 3, buckets: Array(9).fill(bucket) };
  await place([{ ...of, ...until }], first + 21 * 86_400);
  await reconcileBy('one');
  const noted = await built.warehouse.query('SELECT bucket FROM mart.reconciliation WHERE note IS NOT NULL');
  expect(noted).toHaveLength(4);
});

test.each([
  ['one that begins with block 1 says that nothing is compared', 1, 2],
  ['any other says nothing', 9, 0],
])('of buckets before a history %s', async (_, firstBlock, noted) => {
  const bucket = { own: 'none', served: 'same', number: 0, agreed: true, isWithdrawn: false } as const;
  const of = { chain: '7001', metric: 'txCount', interval: 'day', begun: '2020-01-01', isAhead: false } as const;
  const until = { heldFrom: 2, firstBlock, heldUntil: 99, servedUntil: 99, buckets: Array(9).fill(bucket) };
  await place([{ ...of, ...until }], first + 21 * 86_400);
  await reconcileBy('one');
  const rows = await verdicts();
  expect(rows.slice(0, 2)).toMatchObject(Array(2).fill({ verdict: 'own_incomplete' }));
  expect(rows.filter(({ note }) => String(note).startsWith('before block 1'))).toHaveLength(noted);
  expect(rows.slice(2, 8)).toMatchObject(Array(6).fill({ verdict: 'equal' }));
});

test.each(['one', 'close'] as const)(
  'a bucket is settled 72 hours after its end, to the second, and its difference is told before, by %s look',
  async (look) => {
    const bucket = { own: 'none', served: 'same', number: 1, agreed: false, isWithdrawn: false } as const;
    const of = { chain: '7001', metric: 'txCount', interval: 'day', begun: '2020-01-01', isAhead: false } as const;
    const until = {
      heldFrom: 0,
      firstBlock: 9,
      heldUntil: 99,
      servedUntil: 99,
      buckets: [...Array(5).fill(bucket), { ...bucket, served: 'another' as const }],
    };
    await place([{ ...of, ...until }], first + 6 * 86_400 - 1);
    await reconcileBy(look);
    const rows = await verdicts();
    expect(rows.map((row) => row['served_settled'])).toEqual([true, true, ...Array(4).fill(false)]);
    expect(rows.map((row) => row['difference_text'])).toEqual([...Array(5).fill('0'), '1']);
  },
);

test('what was withdrawn is looked at closely', async () => {
  const bucket = { own: 'none', served: 'same', number: 1, agreed: true, isWithdrawn: false } as const;
  const of = { chain: '7001', metric: 'txCount', interval: 'day', begun: '2020-01-01', isAhead: false } as const;
  const buckets = [bucket, { ...bucket, isWithdrawn: true }, ...Array(6).fill(bucket)];
  await place([{ ...of, heldFrom: 0, firstBlock: 9, heldUntil: 99, servedUntil: 99, buckets }], first + 21 * 86_400);
  await reconcileBy('close');
  const expected = await verdicts();
  await reconcileBy('one');
  expect(await verdicts()).toEqual(expected);
  expect(expected.map(({ verdict }) => verdict).slice(0, 2)).toEqual(['equal', 'served_missing']);
});

test('a series that is judged by one look gets the verdicts that a close look gives', async () => {
  const chains = fc.uniqueArray(mostly('7001', ['total', '7002', "it's"], 3), { minLength: 1, maxLength: 3 });
  const wanted = chains.chain((names) =>
    fc.uniqueArray(fc.record({ chain: fc.constantFrom(...names), series: seriesOf }), {
      selector: ({ chain, series }) => seriesName({ chain, ...series }),
      minLength: 1,
      maxLength: 6 * names.length,
    }),
  );
  const newest = fc.integer({ min: -5, max: 60 }).map((days) => first + days * 86_400);
  await fc.assert(
    fc.asyncProperty(wanted, newest, async (drawn, moment) => {
      await place(
        drawn.map(({ chain, series }) => ({ chain, ...series })),
        moment,
      );
      const close = await reconcileBy('close');
      const expected = await verdicts();
      const given = await reconcileBy('one');
      expect(await verdicts()).toEqual(expected);
      expect(given).toEqual(close);
    }),
    { numRuns: fuzzRuns(40) },
  );
  expect(seen.plain).toBeGreaterThan(seen.all / 10);
  expect(seen.plain).toBeLessThan(seen.all * 0.9);
});
