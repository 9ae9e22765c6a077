import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { containers } from '../../../pipelines/node/containers.ts';
import { type ErrorCode, FirnError } from '../../../src/core/firnError.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { takeRange } from '../../../src/run/read/takeRange.ts';

const stream = containers as never;
const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
const partition = containers.partitions(
  containers.parameters.parse({ indexes: ['C/block'], decode: false }) as never,
  network,
)[0];

/** A container as the node gives it; `bytes` are wrong where they are given. */
const container = (index: number, bytes = encodeHexChecksum(new Uint8Array([index & 255]))) => ({
  id: `container-${index}`,
  bytes,
  timestamp: '2026-01-20T00:01:12.121451852Z',
  encoding: 'hex',
  index: String(index),
});

/** Takes the range `from`..`to` from a node that gives these answers, the last one again and again; an error is thrown. */
function take(from: number, to: number, ...answers: (unknown[] | FirnError)[]) {
  let asked = 0;
  const fetch = async (request: unknown) => {
    const said = answers[Math.min(asked++, answers.length - 1)];
    if (said instanceof FirnError) throw said;
    return { body: { containers: said }, bytes: 1, fetchedAt: 1, request };
  };
  return takeRange(stream, { partition, network, fetch, state: containers.state?.() } as never, {
    from,
    to,
    passesOver: false,
  });
}

const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => container(from + i));
const indexesOf = ({ page }: Awaited<ReturnType<typeof take>>) =>
  page.set.own.toObjects().map((row) => Number(row['index']));

test('other work has its turn while a long range is parsed, and every record keeps its place', async () => {
  let turns = 0;
  let isDone = false;
  const other = (async () => {
    while (!isDone) {
      await setImmediate();
      turns++;
    }
  })();
  const range = await take(0, 1023, many(0, 1024));
  isDone = true;
  await other;
  expect(indexesOf(range)).toEqual(Array.from({ length: 1024 }, (_, i) => i));
  expect(range.records).toBe(1024);
  expect(turns).toBeGreaterThanOrEqual(8);
});

test('a member that no schema knows is noted once, however long the range', async () => {
  const strange = many(0, 300).map((record) => ({ ...record, colour: 'red' }));
  expect((await take(0, 299, strange)).page.unknown).toEqual([{ member: 'colour', example: '"red"' }]);
});

test('what could not be read is asked for once more, and nothing else of that answer is taken', async () => {
  const spoiled = many(0, 200).with(150, container(150, '0x00'));
  const other = many(0, 200).map((record, i) => (i === 150 ? record : { ...record, id: 'another' }));
  const range = await take(0, 199, spoiled, other);
  expect(range.page.quarantined).toEqual([]);
  expect(range.page.set.own.toObjects().map((row) => row['id'])).toEqual(many(0, 200).map(({ id }) => id));
  const stays = await take(0, 199, spoiled);
  expect(stays.page.quarantined.map(({ reason }) => reason)).toEqual([expect.stringContaining('bytes: ')]);
});

test.each<ErrorCode>(['interrupted', 'unauthorized', 'rate_limited', 'disk'])(
  'what is asked for once more ends the read as anything does: %s',
  async (code) => {
    const spoiled = many(0, 4).with(2, container(2, '0x00'));
    await expect(take(0, 3, spoiled, new FirnError(code, 'said'))).rejects.toMatchObject({ code });
    const { page } = await take(0, 3, spoiled, new FirnError('unavailable', 'said'));
    expect(page.quarantined).toHaveLength(1);
  },
);

test('records that a stream parsed itself are read, and what is no list is refused with what to return', async () => {
  const returning = (records: unknown) => {
    const own = {
      ...containers,
      *read() {
        yield { kind: 'get', path: '/', weight: 1 };
        return records;
      },
    };
    const fetch = async (request: unknown) => ({ body: {}, bytes: 1, fetchedAt: 1, request });
    const context = { partition, network, fetch, state: containers.state?.() };
    return takeRange(own as never, context as never, { from: 0, to: 1, passesOver: false });
  };
  const parsed = many(0, 2).map((record) => ({ ...record, timestampText: record.timestamp }));
  expect(indexesOf(await returning(parsed))).toEqual([0, 1]);
  await expect(returning({ containers: [] })).rejects.toThrow('"read" must return a list of records');
});

test('a range ends before its first hole', async () => {
  const range = await take(
    10,
    209,
    many(10, 200).filter(({ index }) => index !== '150'),
  );
  expect(indexesOf(range).at(-1)).toBe(149);
  expect(range.hole).toMatchObject({ from: 150 });
  expect(range.records).toBe(140);
});

test('what lies before a position that the node lacks is taken, and nothing more is asked for where that is the first', async () => {
  const lacking = (lacks: number) => new FirnError('unavailable', 'not yet', { context: { lacks } });
  const range = await take(5, 9, lacking(8), many(5, 3));
  expect([indexesOf(range), range.failure]).toEqual([[5, 6, 7], lacking(8)]);
  await expect(take(5, 9, lacking(5), [])).rejects.toThrow('not yet');
  await expect(take(5, 9, lacking(10), many(5, 5))).rejects.toThrow('not yet');
});
