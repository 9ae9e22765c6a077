import { z } from 'zod';
import type { Request } from '../../../src/core/requests/request.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { RangeStream } from '../../../src/core/stream/stream.ts';
import { type Asking, defineStream, findHeight, int64, optional, RawValue, text } from '../../../src/index.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';

/** A made-up chain: what its source holds, and what was asked of it but times. */
export interface Chain {
  /** Its last height; null for none. */
  head: number | null;
  /** Names blocks: another one is another chain. */
  name: string;
  readonly without: Set<number>;
  readonly wrong: Set<number>;
  /** Those that name another parent. */
  readonly foreign: Set<number>;
  readonly asked: string[];
}

export const createChain = (head: number | null): Chain => ({
  head,
  name: 'a',
  without: new Set(),
  wrong: new Set(),
  foreign: new Set(),
  asked: [],
});

const ask = (path: string): Request => ({ kind: 'get', path, weight: 1 });

/** Four blocks a day. */
function* timeOf(height: number): Asking<number> {
  return (yield ask(`time ${height}`)).body as number;
}

/** Blocks by height; the partition says from where, whether in part, and whether some may be missing. */
export const heightsStream = defineStream(
  { name: 'node', description: 'A source of tests.', numbers: 'lossless' },
  {
    name: 'heights',
    description: 'Blocks of tests.',
    endpoint: 'GET /blocks',
    parameters: z.strictObject({}),
    partitions: () => [partitionOf()],
    state: () => ({ reads: 0 }),
    schema: z.object({
      height: int64('Height.'),
      name: text('Name.'),
      id: text('Name and height.'),
      parent: text('Name and height of the one before.'),
      extra: optional(text('Not taken in part.')),
    }),
    link: { id: 'id', parent: 'parent' },
    key: ['height'],
    range: 'height',
    way: 'range',
    position: 'height',
    size: 4,
    ahead: 2,
    *head() {
      return (yield ask('head')).body as number | null;
    },
    first: ({ settings }, head) => findHeight({ height: settings.from }, head, timeOf),
    timeAt: (_, height) => timeOf(height),
    mayHaveGaps: ({ settings }) => settings.mayHaveGaps,
    takesPart: ({ settings }) => settings.part,
    *holds(_, last) {
      return (yield ask(`holds ${last['height']}`)).body === last['name'];
    },
    *read({ settings }, from, to, state) {
      state.reads++;
      const blocks = (yield ask(`${from}..${to}`)).body as object[];
      return blocks.map((block) =>
        RawValue.from(settings.part ? block : { ...block, extra: `read ${state.reads > 0}` }),
      );
    },
  },
) as RangeStream;

export const partitionOf = (settings: { from?: number; part?: boolean; mayHaveGaps?: boolean } = {}) =>
  ({ values: {}, settings: { from: 0, part: false, mayHaveGaps: false, ...settings } }) satisfies Partition;

/** Answers for a chain. */
export const fetchOf =
  (chain: Chain): Fetch =>
  async ({ path }) => {
    const answered = (body: unknown) => ({ body, bytes: 1, fetchedAt: 1 });
    if (path.startsWith('time')) return answered(Number(path.slice(5)) * 21_600);
    chain.asked.push(path);
    if (path === 'head') return answered(chain.head);
    if (path.startsWith('holds')) return answered(Number(path.slice(6)) > (chain.head ?? -1) ? null : chain.name);
    const [from = 0, to = 0] = path.split('..').map(Number);
    const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((at) => !chain.without.has(at));
    return answered(
      heights.map((height) => ({
        height,
        name: chain.wrong.has(height) ? null : chain.name,
        id: `${chain.name} ${height}`,
        parent: `${chain.foreign.has(height) ? 'x' : chain.name} ${height - 1}`,
      })),
    );
  };
