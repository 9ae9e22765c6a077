import { describe, expect, test } from 'vitest';
import { classifySeries } from '../../../src/transform/verdict/classifySeries.ts';
import { parseNumber, type Ratio } from '../../../src/transform/verdict/ratio.ts';
import type { Point, Series, VariantReading, Verdict } from '../../../src/transform/verdict/series.ts';

const day = 86_400;
const whole = (value: bigint | number | null): Ratio | null =>
  value === null ? null : { num: BigInt(value), den: 1n };

interface Given {
  own?: Ratio | null | undefined;
  served?: string | null | undefined;
  covered?: boolean;
  overflows?: boolean;
  open?: boolean;
  settled?: boolean;
  stalled?: boolean;
  delta?: bigint;
}

const points = (given: readonly Given[]): Point[] =>
  given.map(
    ({ own, served, covered = true, overflows = false, open = false, settled = true, stalled = false, delta }, i) => ({
      bucket: i * day,
      own: own === undefined ? undefined : { value: own, covered, overflows, open },
      served: served === undefined ? undefined : { text: served, value: served === null ? null : parseNumber(served) },
      settled,
      stalled,
      ...(delta !== undefined && { ownDelta: { num: delta, den: 1n } }),
    }),
  );

const series = (given: readonly Given[], options: Partial<Series> = {}): Series => ({
  metric: 'txCount',
  interval: 'day',
  growth: null,
  isAggregate: false,
  points: points(given),
  ...options,
});

const reading =
  (values: readonly (bigint | number | null | undefined)[]) => async (): Promise<VariantReading> => (bucket) => {
    const value = values[bucket / day];
    return value === undefined ? undefined : { value: whole(value) };
  };

async function names(given: Series, readings: Record<string, () => Promise<VariantReading>> = {}): Promise<string[]> {
  const verdicts = await classifySeries(given, new Map(Object.entries(readings)));
  return verdicts.map(short);
}

const short = ({ verdict, variant, scale }: Verdict) =>
  [verdict, variant, scale].filter((part) => part !== undefined).join(' ');

describe('single buckets', () => {
  test.each<[string, Given, string]>([
    ['the same digits', { own: whole(7), served: '7' }, 'equal'],
    ['the same number in other words', { own: whole(700), served: '7.0e2' }, 'equal'],
    ['the same wei', { own: whole(169288983645217475n), served: '169288983645217475' }, 'equal'],
    ['wei as a double', { own: whole(169288983645217475n), served: '169288983645217470' }, 'equal_as_double'],
    ['the nearest double of a quotient', { own: { num: 1n, den: 3n }, served: '0.3333333333333333' }, 'equal'],
    ['no value on both sides', { own: null }, 'equal'],
    ['null for no value', { own: null, served: null }, 'equal'],
    ['another number', { own: whole(7), served: '8' }, 'differs'],
    ['null for a number', { own: whole(7), served: null }, 'served_empty'],
    ['no number at all', { own: whole(7), served: 'NaN' }, 'differs'],
    ['no number at all where there is no value', { own: null, served: 'NaN' }, 'differs'],
    ['not settled', { own: whole(7), served: '7', settled: false }, 'served_provisional'],
    ['not covered', { own: whole(7), covered: false, served: '8' }, 'own_incomplete'],
    ['no own row', { served: '8' }, 'own_incomplete'],
    ['not over on our side', { own: whole(7), open: true, served: '8' }, 'served_provisional'],
    ['not over on our side, and agreeing already', { own: whole(8), open: true, served: '8' }, 'equal'],
    ['not over on our side, without a value on both', { own: null, open: true }, 'served_provisional'],
    ['not over on our side, and not served', { own: whole(8), open: true }, 'served_provisional'],
  ])('%s', async (_, given, verdict) => {
    // A second bucket makes it a series that answers.
    expect((await names(series([given, { own: whole(1), served: '1' }])))[0]).toBe(verdict);
  });

  test.each<[string, Given[]]>([
    [
      'beside a number that agrees',
      [
        { own: null, overflows: true, served: '1e40' },
        { own: whole(1), served: '1' },
      ],
    ],
    ['that is not settled', [{ own: null, overflows: true, served: '1e40', settled: false }]],
    ['where nothing is served', [{ own: null, overflows: true }]],
  ])('a value of more than 38 digits %s: its note says why it is not compared', async (_, given) => {
    expect((await classifySeries(series(given), new Map()))[0]).toEqual({
      verdict: 'own_incomplete',
      note: 'more than 38 digits: not compared',
    });
  });

  test('a missing row in a series that answers', async () => {
    expect(await names(series([{ own: whole(5) }, { own: whole(1), served: '1' }]))).toEqual([
      'served_missing',
      'equal',
    ]);
  });

  test.each([
    ['7', 'was served before, as 7'],
    [null, 'was served before, as null'],
  ])('a row that is not served any more: its note says that it was %s', async (withdrawn, note) => {
    const [gone, ...others] = points([{ own: whole(5) }, { own: whole(1), served: '1' }]) as [Point, ...Point[]];
    const given = series([], { points: [{ ...gone, withdrawn }, ...others] });
    expect((await classifySeries(given, new Map()))[0]).toEqual({ verdict: 'served_missing', note });
  });

  test('a bucket that begins at no day of UTC, whatever it says', async () => {
    const given = points([{ own: whole(7), served: '7' }]).map((point) => ({ ...point, bucket: 7 * 3600 }));
    expect(await classifySeries(series([], { points: given }), new Map())).toEqual([
      { verdict: 'differs', note: 'in UTC, no day begins then' },
    ]);
  });

  test('an empty list, which for an open bucket is the normal answer', async () => {
    const given = [{ own: whole(5) }, { own: whole(6), covered: false }, { own: whole(7), open: true }];
    expect(await names(series(given, { interval: 'month' }))).toEqual([
      'served_empty',
      'own_incomplete',
      'served_provisional',
    ]);
  });

  test('a bucket that is not over on our side, or has more than 38 digits, does not keep the series from being explained', async () => {
    const given: Given[] = [1, 2, 3].map((own) => ({ own: whole(own), served: String(own + 155) }));
    const open = { own: whole(3), open: true, served: '159' };
    const large = { own: null, overflows: true, served: '1e40' };
    expect(await names(series([...given, open, large], { growth: 'sum' }))).toEqual([
      ...given.map(() => 'offset_constant'),
      'served_provisional',
      'own_incomplete',
    ]);
  });

  test.each([
    [true, 'nothing newer was served for two weeks: if the series is still asked for, report it to the service'],
    [false, undefined],
  ])('a bucket after all that is served has a note where it ended long ago (%s)', async (stalled, note) => {
    const given = [
      { own: whole(1), served: '1' },
      { own: whole(2), settled: false, stalled },
    ];
    expect((await classifySeries(series(given), new Map()))[1]).toEqual({
      verdict: 'served_provisional',
      ...(note !== undefined && { note }),
    });
  });

  test('aggregates', async () => {
    expect(await names(series([{ served: '5' }], { isAggregate: true }))).toEqual(['no_own']);
  });
});

describe('rounding', () => {
  const averages: Given[] = [
    { own: { num: 198_4n, den: 1000n }, served: '1.98' },
    { own: { num: 5n, den: 2n }, served: '2.5' },
  ];

  test('is judged by the decimals that the series shows', async () => {
    expect(await names(series(averages, { metric: 'avgTps' }))).toEqual(['equal_rounded', 'equal']);
  });

  test.each<[string, Ratio, string, string]>([
    ['0', { num: 139n, den: 1000n }, '7', 'differs'],
    ['0.00', { num: 139n, den: 1000n }, '7', 'differs'],
    ['0', { num: 4n, den: 1000n }, '7.25', 'differs'],
    ['-0.0', { num: 4n, den: 1000n }, '7.25', 'differs'],
    ['0.1', { num: 139n, den: 1000n }, '7', 'equal_rounded'],
    ['1', { num: 7n, den: 10n }, '7', 'equal_rounded'],
    ['0', { num: 0n, den: 10n }, '7', 'equal'],
  ])('needs a digit that says something (%s of %o)', async (served, own, other, verdict) => {
    const given = series(
      [
        { own, served },
        { own: parseNumber(other), served: other },
      ],
      { metric: 'avgTps' },
    );
    expect((await names(given))[0]).toBe(verdict);
  });

  test('of more decimals than a double holds is that of twelve', async () => {
    const given = { own: { num: 1n, den: 3n }, served: '0.33333333333334' };
    expect(await names(series([given], { metric: 'avgTps' }))).toEqual(['equal_rounded']);
  });

  test('does not make 0 another reading, or another unit, of what is not 0', async () => {
    const given = [139n, 4n, 12n].map((num) => ({ own: { num, den: 1000n }, served: '0' }));
    const third = async (): Promise<VariantReading> => (bucket) => ({
      value: { num: BigInt(bucket + 1), den: 3_000_000n },
    });
    expect(await names(series(given, { metric: 'avgTps' }), { third })).toEqual(['differs', 'differs', 'differs']);
  });

  test('does not make 0 what a reading has no value for, where rounding may have left it', async () => {
    const given = [
      { own: { num: 139n, den: 1000n }, served: '0' },
      { own: whole(20), served: '20' },
      { own: whole(30), served: '30' },
    ];
    const first_day_null = reading([null, 20, 30]);
    expect(await names(series(given, { metric: 'avgTps' }), { first_day_null })).toEqual(['differs', 'equal', 'equal']);
  });

  test('does not excuse whole numbers', async () => {
    expect(
      await names(
        series([
          { own: whole(7), served: '8' },
          { own: whole(9), served: '9' },
        ]),
      ),
    ).toEqual(['differs', 'equal']);
  });
});

describe('what explains a whole series', () => {
  const own = [10, 20, 30, 40].map((n) => whole(n));

  test('another reading', async () => {
    const given = ['9', '20', '28', '40'].map((served, i) => ({ own: own[i], served }));
    expect(await names(series(given), { less: reading([9, 20, 28, 40]) })).toEqual([
      'variant_match less',
      'equal',
      'variant_match less',
      'equal',
    ]);
  });

  test('not a reading that fits one bucket by luck', async () => {
    const given = ['9', '20', '30', '40'].map((served, i) => ({ own: own[i], served }));
    expect(await names(series(given), { less: reading([9, 20, 30, 40]) })).toEqual([
      'differs',
      'equal',
      'equal',
      'equal',
    ]);
  });

  test('not a reading that fits all buckets but one', async () => {
    const given = ['9', '19', '28', '41'].map((served, i) => ({ own: own[i], served }));
    expect(await names(series(given), { less: reading([9, 19, 28, 40]) })).toEqual([
      'differs',
      'differs',
      'differs',
      'differs',
    ]);
  });

  test.each([
    ['28', 'differs'],
    ['30', 'equal'],
  ])('not a reading that is itself not covered where %s is served', async (third, verdict) => {
    const given = ['9', '19', third, '39'].map((served, i) => ({ own: own[i], served }));
    const expected = ['differs', 'differs', verdict, 'differs'];
    expect(await names(series(given), { less: reading([9, 19, undefined, 39]) })).toEqual(expected);
  });

  test('unsettled buckets do not speak against it', async () => {
    const given = [
      { own: own[0], served: '9' },
      { own: own[1], served: '18' },
      { own: own[2], served: '1', settled: false },
    ];
    expect(await names(series(given), { less: reading([9, 18, 27]) })).toEqual([
      'variant_match less',
      'variant_match less',
      'served_provisional',
    ]);
  });

  test('a reading without a value where nothing is served', async () => {
    const given = [{ own: own[0] }, { own: own[1], served: '20' }];
    expect(await names(series(given), { first_null: reading([null, 20]) })).toEqual([
      'variant_match first_null',
      'equal',
    ]);
  });

  test('another unit', async () => {
    const given = [25, 30].map((gwei) => ({ own: whole(BigInt(gwei) * 10n ** 9n), served: String(gwei) }));
    expect(await names(series(given))).toEqual(['scale_match 1000000000', 'scale_match 1000000000']);
  });

  test('another unit, divided as doubles, which are off by their last digit', async () => {
    const own = [8874841659238463273182n, 9123456789012345678901n];
    const given = own.map((wei) => ({ own: whole(wei), served: String(Number(wei) / 1e18 + 2 ** -39) }));
    expect(await names(series(given))).toEqual(Array(2).fill('scale_match 1000000000000000000'));
  });

  test('not another unit where more than the last digit is off', async () => {
    const own = [8874841659238463273182n, 9123456789012345678901n];
    const given = own.map((wei) => ({ own: whole(wei), served: String((Number(wei) / 1e18) * (1 + 1e-13)) }));
    expect(await names(series(given))).toEqual(Array(2).fill('differs'));
  });

  test('not another reading where doubles differ in their last digit', async () => {
    const given = [1, 2].map((n) => ({ own: whole(n), served: '10000000000000002e9' }));
    expect(await names(series(given), { large: reading([10n ** 25n, 10n ** 25n]) })).toEqual(Array(2).fill('differs'));
  });

  test('another unit, or an offset, with null for a number among it', async () => {
    const scaled = [25, 30].map((gwei) => ({ own: whole(BigInt(gwei) * 10n ** 9n), served: String(gwei) }));
    const unserved = { own: whole(1), served: null };
    expect(await names(series([...scaled, unserved]))).toEqual([
      'scale_match 1000000000',
      'scale_match 1000000000',
      'served_empty',
    ]);
    const moved = ['165', '175'].map((served, i) => ({ own: own[i], served }));
    expect(await names(series([...moved, { own: own[2], served: null }], { growth: 'sum' }))).toEqual([
      'offset_constant',
      'offset_constant',
      'served_empty',
    ]);
  });

  test('another reading in another unit', async () => {
    const given = [25, 30].map((gwei) => ({ own: whole(1), served: String(gwei) }));
    const weighted = reading([25n * 10n ** 18n, 30n * 10n ** 18n]);
    expect(await names(series(given), { weighted })).toEqual(
      Array(2).fill('variant_match weighted 1000000000000000000'),
    );
  });

  test('a constant offset, from two levels on', async () => {
    const given = ['165', '175', '185'].map((served, i) => ({ own: own[i], served }));
    expect(await names(series(given, { metric: 'cumulativeContracts', growth: 'sum' }))).toEqual(
      Array(3).fill('offset_constant'),
    );
    const two = given.slice(0, 2);
    expect(await names(series(two, { metric: 'cumulativeContracts', growth: 'sum' }))).toEqual(
      Array(2).fill('offset_constant'),
    );
  });

  test.each<[string, bigint[], string[], string[]]>([
    ['not an offset of one level', [10n], ['165'], ['differs']],
    [
      'an offset that a double shows of the smallest level alone',
      [1n, 5n, 2n ** 60n],
      ['2', '6', String(2n ** 60n)],
      ['offset_constant', 'offset_constant', 'equal'],
    ],
    [
      'not an offset where a whole number that a double holds is off by one',
      [1n, 2n, 2n ** 52n],
      ['6', '7', String(2n ** 52n + 6n)],
      Array(3).fill('differs'),
    ],
  ])('%s', async (_, levels, served, verdicts) => {
    const given = levels.map((level, i) => ({ own: whole(level), served: served[i] }));
    expect(await names(series(given, { growth: 'sum' }))).toEqual(verdicts);
  });

  test('an offset of a level alone: any other number that is always wrong by as much differs', async () => {
    const moved = ['165', '175', '185'].map((served, i) => ({ own: own[i], served }));
    const constant = Array(7).fill({ own: whole(1), served: '2' });
    for (const given of [moved, constant]) {
      expect(await names(series(given))).toEqual(given.map(() => 'differs'));
      expect(await names(series(given, { growth: 'sum' }))).toEqual(given.map(() => 'offset_constant'));
    }
  });

  test('not an offset where a number is served of a level that does not exist; one that is not served says nothing', async () => {
    const given: Given[] = ['165', '175'].map((served, i) => ({ own: own[i], served }));
    const level = { metric: 'cumulativeContracts', growth: 'sum' } as const;
    expect(await names(series([...given, { own: null, served: '7' }], level))).toEqual(Array(3).fill('differs'));
    expect(await names(series([...given, { own: own[2] }], level))).toEqual([
      'offset_constant',
      'offset_constant',
      'served_missing',
    ]);
  });

  test('not an offset where doubles differ in their last digit alone', async () => {
    const price = { num: 4n * 10n ** 9n, den: 3n };
    const large = { num: 10n ** 25n, den: 1n };
    const given = [
      { own: price, served: '1333333333.3333333' },
      { own: price, served: '1333333333.3333333' },
      { own: large, served: '10000000000000002e9' },
    ];
    expect(await names(series(given, { growth: 'sum' }))).toEqual(['equal', 'equal', 'differs']);
  });

  test.each([1, 2])('0 for a value that does not exist, in %i buckets', async (times) => {
    const given = [...Array(times).fill({ own: null, served: '0' }), { own: own[2], served: '30' }];
    expect(await names(series(given, { metric: 'maxGps' }))).toEqual([
      ...Array(times).fill('variant_match no_value_as_zero'),
      'equal',
    ]);
  });

  const zero = 'variant_match no_value_as_zero';
  test('0 for a value that does not exist, with nothing served for one', async () => {
    const zeros = Array(2).fill({ own: null, served: '0' });
    const given = [{ own: null }, ...zeros, { own: own[2], served: '30' }];
    expect(await names(series(given, { metric: 'maxGps' }))).toEqual(['equal', zero, zero, 'equal']);
  });

  const gwei = [null, 10n ** 10n, 2n * 10n ** 10n, 3n * 10n ** 10n];
  test.each<[string, (bigint | number | null)[], string[], (number | bigint | null)[], string[]]>([
    [
      'beside another reading',
      [null, 20, 30, 40],
      ['0', '18', '28', '40'],
      [null, 18, 28, 40],
      [zero, 'variant_match other', 'variant_match other', 'equal'],
    ],
    ['beside another unit', gwei, ['0', '10', '20', '30'], gwei, [zero, ...Array(3).fill('scale_match 1000000000')]],
    [
      'beside another reading in another unit',
      [null, 1, 1, 1],
      ['0', '10', '20', '30'],
      gwei,
      [zero, ...Array(3).fill('variant_match other 1000000000')],
    ],
    [
      'that another reading alone does not have',
      [1, 20, 30],
      ['0', '20', '30'],
      [null, 20, 30],
      ['variant_match other', 'equal', 'equal'],
    ],
    [
      'but not beside a reading that fits one bucket by luck',
      [null, null, 20, 30],
      ['0', '0', '18', '30'],
      [null, null, 18, 30],
      ['differs', 'differs', 'differs', 'equal'],
    ],
    [
      'but not beside a reading that fits all buckets but one',
      [null, 20, 30, 40],
      ['0', '18', '28', '41'],
      [null, 18, 28, 40],
      Array(4).fill('differs'),
    ],
    ['but not where nothing else is served', [1, 0, 0], ['0', '0', '0'], [null, 0, 0], ['differs', 'equal', 'equal']],
  ])('0 for a value that does not exist, %s', async (_, values, served, other, verdicts) => {
    const given = values.map((value, i) => ({ own: whole(value), served: served[i] }));
    const judged = await classifySeries(series(given), new Map([['other', reading(other)]]));
    expect(judged.map(short)).toEqual(verdicts);
    // A note says so, too, where the bucket follows a reading by it.
    const noted = judged.filter(({ note }) => note === '0 is served where there is no value');
    expect(noted.length).toBe(
      verdicts.filter((verdict, i) => verdict.startsWith('variant') && served[i] === '0').length,
    );
  });
});

describe('weeks', () => {
  test('that hold too little are named, those that hold too much differ', async () => {
    const given = [
      { own: whole(70), served: '20' },
      { own: whole(70), served: '71' },
    ];
    const mondays = points(given).map((point, i) => ({ ...point, bucket: (4 + 7 * i) * day }));
    const week = { interval: 'week', points: mondays } as const;
    expect(await names(series([], week))).toEqual(['served_week_underfilled', 'differs']);
  });
});

describe('a history that starts late', () => {
  const late = { metric: 'cumulativeTxCount', growth: 'sum' } as const;

  test('compares daily differences', async () => {
    const given = [
      { own: whole(5), covered: false, served: '1005', delta: 5n },
      { own: whole(12), covered: false, served: '1012', delta: 7n },
      { own: whole(15), covered: false, served: '1016', delta: 3n },
    ];
    const verdicts = await classifySeries(series(given, late), new Map());
    expect(verdicts.map(short)).toEqual(['own_incomplete', 'equal_delta', 'differs']);
    expect(verdicts[2]?.note).toContain('recomputed 3, served 4');
  });

  test('knows the reading of the days that the differences follow, where it fits them all', async () => {
    const days = [5n, 7n, 3n, 4n].map((delta, i) => ({ delta, served: `${[1005, 1012, 1016, 1021][i]}` }));
    const given = days.map(({ delta, served }) => ({ own: whole(delta), covered: false, served, delta }));
    const judged = async (values: readonly number[]) =>
      classifySeries(series(given, late), new Map(), new Map([['with_atomic', reading(values)]]));
    const verdicts = await judged([9, 7, 4, 5]);
    expect(verdicts.map(short)).toEqual([
      'own_incomplete',
      'equal_delta',
      'variant_match with_atomic',
      'variant_match with_atomic',
    ]);
    expect(verdicts[2]?.note).toContain('recomputed 4, served 4');
    expect((await judged([9, 7, 4, 6])).map(short)).toEqual(['own_incomplete', 'equal_delta', 'differs', 'differs']);
  });

  test('knows no reading that fits one difference by luck', async () => {
    const days = [5n, 7n, 3n, 4n].map((delta, i) => ({ delta, served: `${[1005, 1012, 1016, 1020][i]}` }));
    const given = days.map(({ delta, served }) => ({ own: whole(delta), covered: false, served, delta }));
    const verdicts = await classifySeries(series(given, late), new Map(), new Map([['other', reading([9, 7, 4, 4])]]));
    expect(verdicts.map(short)).toEqual(['own_incomplete', 'equal_delta', 'differs', 'equal_delta']);
  });

  test('says nothing of the first day where the reading that fits does not know it', async () => {
    const given = [
      { own: whole(5), covered: false, served: '1005' },
      { own: whole(12), covered: false, served: '1013', delta: 7n },
      { own: whole(15), covered: false, served: '1017', delta: 3n },
      { own: whole(19), covered: false, served: '1022', delta: 4n },
    ];
    const other = reading([undefined, undefined, 4, 5]);
    const verdicts = await classifySeries(series(given, late), new Map(), new Map([['other', other]]));
    expect(verdicts.map(short)).toEqual([
      'own_incomplete',
      'own_incomplete',
      'variant_match other',
      'variant_match other',
    ]);
  });

  test('says nothing of a day whose day before is not there', async () => {
    const given = points([
      { own: whole(5), covered: false, served: '1005', delta: 5n },
      { own: whole(12), covered: false, served: '1012', delta: 7n },
    ]).map((point) => ({ ...point, bucket: 2 * point.bucket }));
    expect(await names(series([], { ...late, points: given }))).toEqual(Array(2).fill('own_incomplete'));
  });

  test('says nothing of days that are not covered or not settled', async () => {
    const given = [
      { own: whole(5), covered: false, served: '1005', delta: 5n },
      { own: whole(12), covered: false, served: '1012' },
      { own: whole(15), covered: false, served: '1016', delta: 3n, settled: false },
      { own: whole(19), covered: false, served: '1021', delta: 4n },
    ];
    expect(await names(series(given, late))).toEqual(Array(4).fill('own_incomplete'));
  });

  test('does not excuse days by a reading that knows none of them', async () => {
    const given = [
      { own: whole(5), covered: false, served: '1005' },
      { own: whole(12), covered: false, served: '1013', delta: 7n },
      { own: whole(15), covered: false, served: '1017' },
      { own: whole(19), covered: false, served: '1022', delta: 4n },
    ];
    const verdicts = await classifySeries(series(given, late), new Map(), new Map([['other', reading([])]]));
    expect(verdicts.map(short)).toEqual(['own_incomplete', 'differs', 'own_incomplete', 'differs']);
  });

  test('never judges distinct counts by differences', async () => {
    const given = [1, 2].map((n) => ({ own: whole(n), covered: false, served: `100${n}`, delta: 1n }));
    const verdicts = await classifySeries(
      series(given, { metric: 'cumulativeAddresses', growth: 'distinct' }),
      new Map(),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['own_incomplete', 'own_incomplete']);
    expect(verdicts[0]?.note).toContain('whole history');
  });

  test('does not say that the history of a chain begins late where only its newest buckets have no block', async () => {
    const given = [{ own: whole(3), served: '3' }, { served: '3' }];
    const verdicts = await classifySeries(
      series(given, { metric: 'cumulativeAddresses', growth: 'distinct' }),
      new Map(),
    );
    expect(verdicts).toEqual([{ verdict: 'equal' }, { verdict: 'own_incomplete' }]);
  });
});
