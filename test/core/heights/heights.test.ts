import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { createDateBracket, type DatedHeight } from '../../../src/core/heights/dateBracket.ts';
import { type Bound, findHeight, parseBound } from '../../../src/core/heights/findHeight.ts';
import { heightOf } from '../../../src/core/heights/heightOf.ts';
import { cutSlices, readSlices } from '../../../src/core/paging/slices.ts';
import type { Asking, Looking } from '../../../src/core/requests/page.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { pageOf } from '../paging/driver.ts';

const nothing = pageOf([]);

/** Runs a generator that asks, answering every request with nothing; counts them. */
function run<T>(asking: Looking<T>): { value: T; requests: number } {
  let step = asking.next();
  let requests = 0;
  while (!step.done) {
    requests++;
    step = asking.next(nothing);
  }
  return { value: step.value, requests };
}

function* asked<T>(value: T): Asking<T> {
  yield { kind: 'get', path: '/', weight: 1 };
  return value;
}

describe('parseBound', () => {
  test('takes a time without a zone for UTC, wherever the machine stands', () => {
    const own = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    onTestFinished(() => {
      if (own === undefined) delete process.env['TZ'];
      else process.env['TZ'] = own;
    });
    expect(parseBound('2026-01-20T01:00:00')).toEqual({ time: Date.UTC(2026, 0, 20, 1) / 1000 });
  });

  test.each<[string | number, Bound]>([
    [0, { height: 0 }],
    ['1234', { height: 1234 }],
    ['2026-01-20', { time: Date.UTC(2026, 0, 20) / 1000 }],
    ['2026-01-20T01:00:00', { time: Date.UTC(2026, 0, 20, 1) / 1000 }],
    ['2026-01-20 01:00:00', { time: Date.UTC(2026, 0, 20, 1) / 1000 }],
    ['2026-01-20T01:00:00Z', { time: Date.UTC(2026, 0, 20, 1) / 1000 }],
    ['2026-01-20T01:00:00+02:00', { time: Date.UTC(2026, 0, 19, 23) / 1000 }],
    ['2026-01-20T01:00:00.9Z', { time: Date.UTC(2026, 0, 20, 1) / 1000 }],
    ['-45s', { age: 45 }],
    ['-90m', { age: 5400 }],
    ['-24h', { age: 86400 }],
    ['-30d', { age: 30 * 86400 }],
    ['-2w', { age: 14 * 86400 }],
  ])('reads %s', (text, bound) => {
    expect(parseBound(text)).toEqual(bound);
  });

  test.each(['', 'yesterday', '24h', '-3y', '-1', '2026-13-45', '2026-02-31', '2026-02-30T10:00:00Z', '1.5'])(
    'refuses %j',
    (text) => {
      expect(() => parseBound(text)).toThrow(/neither a height, a date/);
    },
  );
});

const times = fc.array(fc.nat(5), { minLength: 1, maxLength: 200 }).map((steps) => {
  let time = 1000;
  return steps.map((step) => {
    time += step;
    return time;
  });
});

describe('findHeight', () => {
  test('finds the first block that is not older than the bound, with about log2 requests', () => {
    fc.assert(
      fc.property(times, fc.nat(), fc.integer({ min: -1, max: 1 }), (blocks, at, apart) => {
        const time = (blocks[at % blocks.length] ?? 0) + apart;
        const { value, requests } = run(
          findHeight({ time }, blocks.length - 1, (height) => asked(blocks[height] ?? Number.NaN)),
        );
        const found = blocks.findIndex((at) => at >= time);
        expect(value).toBe(found < 0 ? blocks.length : found);
        expect(requests).toBeLessThanOrEqual(Math.ceil(Math.log2(blocks.length + 1)) + 1);
      }),
    );
  });

  test('finds it above blocks that the source lacks, and says where they hide it', () => {
    fc.assert(
      fc.property(times, fc.nat(200), fc.integer({ min: 990, max: 2010 }), (blocks, held, time) => {
        const timeOf = function* (height: number) {
          if (height >= held) return yield* asked(blocks[height] ?? Number.NaN);
          throw new FirnError('unavailable', `no ${height}`, { context: { lacks: height } });
        };
        const find = () => run(findHeight({ time }, blocks.length - 1, timeOf)).value;
        const found = blocks.findIndex((at) => at >= time);
        const height = found < 0 ? blocks.length : found;
        if (held === 0 || height > held) expect(find()).toBe(height);
        else expect(find).toThrow(`no ${Math.min(held, blocks.length) - 1}`);
      }),
      { numRuns: fuzzRuns(1000) },
    );
  });

  test('asks only between which blocks a date is known to lie, and makes known what it finds', () => {
    fc.assert(
      fc.property(times, fc.nat(), fc.nat(), fc.array(fc.nat()), (blocks, at, begin, seen) => {
        const timeAt = (height: number) => blocks[height] ?? Number.NaN;
        const time = timeAt(at % blocks.length);
        const lowest = begin % blocks.length;
        const bracket = createDateBracket(time);
        for (const one of seen) bracket.note({ height: one % blocks.length, time: timeAt(one % blocks.length) });
        const [older, from] = [bracket.older?.height ?? -1, bracket.from?.height ?? blocks.length];
        const heights: number[] = [];
        const timeOf = (height: number) => {
          heights.push(height);
          return asked(timeAt(height));
        };
        const find = () => run(findHeight({ time }, blocks.length - 1, timeOf, { lowest, brackets: () => bracket }));
        const found = blocks.findIndex((block) => block >= time);
        expect(find().value).toBe(Math.max(found, lowest));
        expect(heights.every((height) => height > older && height < from)).toBe(true);
        expect(find()).toEqual({ value: Math.max(found, lowest), requests: 0 });
      }),
    );
  });

  test('counts an age from the head, and takes a height as it is', () => {
    const blocks = [100, 110, 120, 130];
    const timeOf = (height: number) => asked(blocks[height] ?? Number.NaN);
    expect(run(findHeight({ age: 15 }, 3, timeOf)).value).toBe(2);
    expect(run(findHeight({ height: 7 }, 3, timeOf))).toEqual({ value: 7, requests: 0 });
  });
});

describe('heightOf', () => {
  const rows = fc
    .tuple(fc.constantFrom(1, 3, 500), fc.nat(60))
    .chain(([max, maxLength]) =>
      fc.array(fc.record({ gap: fc.integer({ min: 1, max }), step: fc.nat(5) }), { maxLength, size: 'max' }),
    )
    .map((steps) => {
      let height = 0;
      let time = 1000;
      return steps.map(({ gap, step }): DatedHeight => {
        height += gap;
        time += step;
        return { height, time };
      });
    });
  const newestOf = (list: readonly DatedHeight[]) => (atOrBelow: number | null) => {
    if (!Number.isSafeInteger(atOrBelow ?? 0)) throw new RangeError(`A look at ${atOrBelow}.`);
    return asked(list.findLast(({ height }) => atOrBelow === null || height <= atOrBelow) ?? null);
  };

  test('finds a height below which every row is older, and none above is', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 990, max: 1310 }), (list, time) => {
        const { value } = run(heightOf({ time }, newestOf(list)));
        if (list.length === 0) expect(value).toBeNull();
        const from = value ?? Number.NaN;
        expect(list.every((row) => row.time >= time === row.height >= from)).toBe(true);
      }),
    );
  });

  test('a newest row whose height cannot be read has the list read from its beginning', () => {
    for (const time of [5, 15])
      expect(run(heightOf({ time }, () => asked({ height: Number.NaN, time: 10 }))).value).toBe(0);
  });

  test('a row further down whose height cannot be read is taken for one of the height that was looked at', () => {
    for (const [time, found] of [
      [60, 0],
      [40, 100],
    ] as const) {
      const newest = newestOf([{ height: 100, time: 100 }]);
      const unreadable = function* (atOrBelow: number | null): Asking<DatedHeight | null> {
        const row = yield* newest(atOrBelow);
        return atOrBelow === null ? row : { height: Number.NaN, time };
      };
      expect(run(heightOf({ time: 50 }, unreadable)).value).toBe(found);
    }
  });

  test('an older row in the place of the newest hides none', () => {
    fc.assert(
      fc.property(rows, fc.nat(60), fc.nat(8), (list, at, wrong) => {
        const time = list[at % list.length]?.time ?? 1000;
        let looks = 0;
        const newest = newestOf(list);
        const late = function* (atOrBelow: number | null): Asking<DatedHeight | null> {
          const row = yield* newest(atOrBelow);
          // As where the second page comes first.
          return looks++ === wrong && row ? ((yield* newest(row.height - 1)) ?? row) : row;
        };
        const { value } = run(heightOf({ time }, late));
        expect(list.filter((row) => row.time >= time && row.height < (value ?? Number.POSITIVE_INFINITY))).toEqual([]);
      }),
      { numRuns: fuzzRuns(200) },
    );
  });

  test('a look that hid rows costs another bisection, not a look at each of them', () => {
    const list = Array.from({ length: 1000 }, (_, i) => ({ height: i + 1, time: i + 1 }));
    const newest = newestOf(list);
    let looks = 0;
    const late = function* (atOrBelow: number | null): Asking<DatedHeight | null> {
      const row = yield* newest(atOrBelow);
      // Its second page, behind a hundred rows, comes first.
      return looks++ === 1 && row ? yield* newest(row.height - 100) : row;
    };
    const { value, requests } = run(heightOf({ time: 450 }, late));
    expect(value).toBe(450);
    expect(requests).toBeLessThan(3 * Math.log2(1000));
  });

  test('what would hide rows must be sure', () => {
    const sure: (number | null)[] = [];
    const list = [5, 6, 8].map((height) => ({ height, time: 1000 + height }));
    const newest = newestOf(list);
    const late = function* (atOrBelow: number | null, isSure: boolean): Asking<DatedHeight | null> {
      if (isSure) sure.push(atOrBelow);
      // A page with a single row is always the one behind the first.
      const row = yield* newest(atOrBelow);
      return isSure || !row || atOrBelow === null ? row : yield* newest(row.height - 1);
    };
    expect(run(heightOf({ time: 1006 }, late)).value).toBe(6);
    expect(sure).toEqual([7]);
  });

  test('what one list shows of a date spares the others of the chain their looks', () => {
    // Two lists of one chain with a block every second: the first shows between which of its rows the date lies.
    const chain = fc.tuple(fc.uniqueArray(fc.nat(5000), { minLength: 1 }), fc.uniqueArray(fc.nat(5000)), fc.nat(5000));
    fc.assert(
      fc.property(chain, fc.constantFrom(0, 100), ([first, second, date], within) => {
        const bracket = createDateBracket(date);
        for (const heights of [first, second]) {
          const list = heights.sort((a, b) => a - b).map((height) => ({ height, time: height }));
          const { value, requests } = run(heightOf({ time: date }, newestOf(list), { bracket, within }));
          if (list.length === 0 && value === null) continue;
          const wanted = list.filter(({ height }) => height >= (value ?? Number.NaN));
          expect(wanted.filter(({ time }) => time >= date)).toEqual(list.filter(({ time }) => time >= date));
          expect(wanted.every(({ time }) => time >= date - within)).toBe(true);
          expect(requests).toBeLessThanOrEqual(15);
        }
      }),
    );
    const bracket = createDateBracket(1000, { older: { height: 999, time: 999 }, from: { height: 1000, time: 1000 } });
    expect(run(heightOf({ time: 1000 }, newestOf([]), { bracket }))).toEqual({ value: 1000, requests: 0 });
    const near = createDateBracket(120, { older: { height: 7, time: 100 }, from: { height: 90, time: 150 } });
    expect(run(heightOf({ time: 120 }, newestOf([]), { bracket: near, within: 50 }))).toEqual({
      value: 8,
      requests: 0,
    });
    const later = createDateBracket(2000);
    run(heightOf({ time: 2000 }, newestOf([{ height: 9, time: 9 }]), { bracket: later }));
    expect(later.older).toEqual({ height: 9, time: 9 });
  });

  test('rows that contradict each other are not believed', () => {
    const bracket = createDateBracket(1000);
    bracket.note({ height: 1_000_000, time: 5 });
    bracket.note({ height: 70, time: 1070 });
    expect([bracket.older, bracket.from]).toEqual([null, null]);
    for (const times of [
      [999, 1000],
      [1000, 999],
    ]) {
      for (const time of times) bracket.note({ height: 50, time });
      expect([bracket.older, bracket.from]).toEqual([null, null]);
    }
    bracket.note({ height: Number.NaN, time: 5 });
    bracket.note({ height: -1, time: 2000 });
    bracket.note({ height: 20, time: Number.NaN });
    bracket.note({ height: 69, time: 999 });
    bracket.note({ height: 70, time: 1000 });
    bracket.note({ height: 71, time: 1001 });
    bracket.note({ height: 3, time: 1 });
    expect([bracket.older, bracket.from]).toEqual([
      { height: 69, time: 999 },
      { height: 70, time: 1000 },
    ]);
  });

  test('counts an age from the newest row, and takes a height as it is', () => {
    const list = [
      { height: 5, time: 100 },
      { height: 9, time: 130 },
    ];
    expect(run(heightOf({ age: 10 }, newestOf(list))).value).toBe(9);
    expect(run(heightOf({ height: 3 }, newestOf(list)))).toEqual({ value: 3, requests: 0 });
  });
});

describe('slices', () => {
  test('adjoin and cover the whole', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 300 }), (from, length, width) => {
        const slices = [...cutSlices(from, from + length, width)];
        const covered = slices.reduce(
          (end, slice) => (slice.from === end ? (slice.to ?? Number.NaN) : Number.NaN),
          from,
        );
        expect(covered).toBe(from + length);
        expect(slices.every(({ from: start, to }) => (to ?? 0) - start <= width)).toBe(true);
      }),
    );
    expect([...cutSlices(5, null, 10)]).toEqual([{ from: 5, to: null }]);
  });

  test('are each read to the last page before the checkpoint moves', () => {
    const pages = readSlices(
      cutSlices(0, 20, 10),
      'cursor',
      (slice, token) => ({ kind: 'get', path: `/${slice.from}`, query: { token }, weight: 1 }),
      ({ to }) => ({ to }),
    );
    const steps: unknown[] = [];
    let step = pages.next();
    const first = pageOf(
      [
        { id: 'in', cursor: 9 },
        { id: 'out', cursor: 10 },
      ],
      { nextPageToken: 'more' },
    );
    while (!step.done) {
      const { value } = step;
      if (value.kind !== 'read') steps.push(value.kind === 'advance' ? value.position : value.path);
      step = pages.next(steps.length === 1 ? first : nothing);
    }
    expect(steps).toEqual(['/0', '/0', { to: 10 }, '/10', { to: 20 }]);
    expect(first.kept).toBe(1);
  });
});
