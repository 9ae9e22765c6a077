import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from 'firn-devnet';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { containers } from '../../../pipelines/node/containers.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { noteGaps } from '../../../src/load/bookkeeping/noteGaps.ts';
import { acceptQuarantine, reopenQuarantine } from '../../../src/run/upkeep/acceptQuarantine.ts';
import { parsed } from '../../core/parse/parsed.ts';
import { type NodeHarness, startNodeHarness } from './nodeHarness.ts';
import { type Override, startProxy } from './startProxy.ts';

const stream = 'node/containers';

/** The C-Chain transactions' senders as the node gives them, by hash. */
function sendersOf(ledger: Ledger): Map<string, string> {
  const txs = ledger.c.blocks.flatMap(
    ({ block }) => JSON.parse(block).transactions as { hash: string; from: string }[],
  );
  return new Map(txs.map(({ hash, from }) => [hash, from.toLowerCase()]));
}

describe.each([
  ['of the node', false],
  ['of the specification', true],
])('the whole ledger in the shapes %s', (_, seedShapes) => {
  let harness: NodeHarness;
  beforeAll(async () => {
    harness = await startNodeHarness([containers], { seedShapes });
    await harness.sync({ [stream]: {} });
  });
  afterAll(() => harness.close());

  test('holds every container byte for byte, and nothing is in quarantine', async () => {
    const { ledger } = harness.devnet;
    for (const [name, blocks] of [
      ['C/block', ledger.c.blocks],
      ['P/block', ledger.p.blocks],
      ['X/block', ledger.x.blocks],
    ] as const) {
      const rows = await harness.query<{ id: string; hex: string; timestamp_text: string; index: bigint }>(
        `SELECT "index", id, '0x' || lower(hex(bytes)) AS hex, timestamp_text FROM raw.node_containers
         WHERE index_name = '${name}' ORDER BY "index"`,
      );
      const wanted = blocks.flatMap(({ container }) => container ?? []);
      expect(rows.map(({ index }) => Number(index))).toEqual(wanted.map((__, i) => i));
      expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      expect(rows.map(({ hex }) => hex)).toEqual(wanted.map(({ bytes }) => bytes.slice(0, -8)));
      expect(rows.map(({ timestamp_text }) => timestamp_text)).toEqual(wanted.map(({ timestamp }) => timestamp));
    }
    expect(await harness.value('SELECT count(*) FROM firn.quarantine')).toBe(0n);
  });

  test('decodes C-Chain blocks to the hashes and senders that the node gives', async () => {
    const { ledger } = harness.devnet;
    const blocks = await harness.query<{ hash: string }>(
      'SELECT hash FROM raw.node_containers_c_blocks ORDER BY "number"',
    );
    expect(blocks.map(({ hash }) => hash)).toEqual(ledger.c.blocks.slice(1).map(({ hash }) => hash));
    const rows = await harness.query<{ hash: string; from_address: string }>(
      'SELECT hash, from_address FROM raw.node_containers_c_transactions',
    );
    const senders = sendersOf(ledger);
    expect(rows).toHaveLength(senders.size);
    expect(rows.filter(({ hash, from_address }) => senders.get(hash) !== from_address)).toEqual([]);
  });

  test('decodes P- and X-Chain blocks to the ids and heights that the node gives', async () => {
    for (const [name, blocks] of [
      ['p', harness.devnet.ledger.p.blocks],
      ['x', harness.devnet.ledger.x.blocks],
    ] as const) {
      const rows = await harness.query<{ height: bigint; block_id: string }>(
        `SELECT height, block_id FROM raw.node_containers_${name}_blocks ORDER BY height`,
      );
      const wanted = blocks.slice(1).map(({ height, id }) => ({ height: BigInt(height), block_id: id }));
      expect(rows).toEqual(wanted);
      const ids = await harness.query<{ tx_id: string }>(`SELECT tx_id FROM raw.node_containers_${name}_transactions`);
      expect(ids.map(({ tx_id }) => tx_id).sort()).toEqual(blocks.flatMap(({ txs }) => [...txs.keys()]).sort());
    }
  });

  test('fills every column that a decoder gives: no table is without rows but those the ledger cannot fill', async () => {
    const empty: string[] = [];
    for (const { table } of Object.values((containers as Stream).children)) {
      if ((await harness.value(`SELECT count(*) FROM ${table.name}`)) === 0n) empty.push(table.name);
    }
    expect(empty).toEqual(['raw.node_containers_x_vertices']);
  });

  test('asks one question an index when there is nothing new', async () => {
    const results = await harness.sync({ [stream]: {} });
    expect(results.map(({ outcome, rows, requests }) => ({ outcome, rows, requests }))).toEqual(
      results.map(() => ({ outcome: 'done', rows: 0, requests: 1 })),
    );
  });
});

describe('what an index may do', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());
  const behindProxy = (override: Override) => startProxy(harness.devnet.url, override);
  const count = (table = 'raw.node_containers') => harness.value(`SELECT count(*) FROM ${table}`);

  test('it is switched off: the partition is not offered, which is no failure', async () => {
    harness = await startNodeHarness([containers], { without: ['index'] });
    const results = await harness.sync({ [stream]: { indexes: ['C/block'] } });
    expect(results).toMatchObject([{ outcome: 'not_offered' }]);
  });

  test('one of several nodes behind one URL does not have it: no stream is left out', async () => {
    harness = await startNodeHarness([containers]);
    let asked = 0;
    const { url } = await behindProxy(async ({ path }) =>
      path.startsWith('/ext/index/') && asked++ % 3 < 2 ? { unanswered: 404 } : undefined,
    );
    const [result] = await harness.sync({ [stream]: { indexes: ['C/block'] } }, url);
    expect(result).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('one has /ext/index/C/block and another one does not'),
    });
  });

  test.each([
    ['an answer of the node', async () => undefined],
    [
      'null',
      async ({ method }: { method: string }) => (method === 'index.getLastAccepted' ? { result: null } : undefined),
    ],
  ])('it is empty and says so by %s: a success without rows', async (_, override) => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(override);
    const results = await harness.sync({ [stream]: { indexes: ['X/tx', 'X/vtx'] } }, url);
    expect(results).toMatchObject([
      { outcome: 'done', rows: 0 },
      { outcome: 'done', rows: 0 },
    ]);
  });

  test.each([
    ['names its maximum', 'numToFetch must be in [1,100] but is 1024', 11],
    ['does not name its maximum', 'requested more than the maximum range', 17],
  ])(
    'it allows less than 1,024 at once and %s: ranges shrink, nothing is lost',
    { tags: 'long' },
    async (_, message, most) => {
      harness = await startNodeHarness([containers]);
      const { url, calls } = await behindProxy(async ({ method, params }) => {
        const { numToFetch } = params as { numToFetch: number };
        const tooMany = method === 'index.getContainerRange' && numToFetch > 100;
        return tooMany ? { error: { code: -32000, message } } : undefined;
      });
      await harness.sync({ [stream]: { indexes: ['X/block'], decode: false } }, url);
      expect(await count()).toBe(1300n);
      const asked = calls.filter(({ method }) => method === 'index.getContainerRange');
      const sizes = asked.map(({ params }) => (params as { numToFetch: number }).numToFetch);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(sizes.filter((size) => size > 100).length).toBeLessThan(most);
    },
  );

  test('it answers a range with fewer than asked for: the rest is asked for again', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'index.getContainerRange') return undefined;
      const { containers: list } = (await forward()) as { containers: unknown[] };
      return { result: { containers: list.slice(0, 300) } };
    });
    await harness.sync({ [stream]: { indexes: ['P/block'], decode: false } }, url);
    expect(await count()).toBe(1402n);
  });

  test('it ends before the head that another node behind the URL told: asked again, it has the rest', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], {}, { baseMs: 1 });
    let late = 3;
    const { url } = await behindProxy(async ({ method, params }) => {
      const { startIndex } = params as { startIndex: number };
      return method === 'index.getContainerRange' && startIndex > 0 && late-- > 0
        ? { error: { code: -32000, message: `start index (${startIndex}) > last accepted index (9)` } }
        : undefined;
    });
    expect(await harness.sync({ [stream]: { indexes: ['P/block'] } }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await count()).toBe(1402n);
  });

  test('it stays behind the head that another node behind the URL told: what came is kept, the rest comes later', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], {}, { baseMs: 1 });
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      const { startIndex, numToFetch } = params as { startIndex: number; numToFetch: number };
      if (method === 'index.getContainerRange' && startIndex < 1300 && startIndex + numToFetch > 1300) {
        const { containers: list } = (await forward()) as { containers: unknown[] };
        return { result: { containers: list.slice(0, 1300 - startIndex) } };
      }
      const beyond = method === 'index.getContainerRange' && startIndex >= 1300;
      return beyond
        ? { error: { code: -32000, message: `start index (${startIndex}) > last accepted index (1299)` } }
        : undefined;
    });
    const indexes = { [stream]: { indexes: ['P/block'] } };
    const [result] = await harness.sync(indexes, url);
    expect(result).toMatchObject({ outcome: 'failed', code: 'unavailable' });
    expect(await count()).toBe(1300n);
    expect(await harness.sync(indexes)).toMatchObject([{ outcome: 'done' }]);
    expect(await count()).toBe(1402n);
  });

  test('it is asked of a node behind the one that told the head whether it holds what was read: that comes later', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], { head: '70%' });
    const indexes = { [stream]: { indexes: ['P/block'] } };
    await harness.sync(indexes);
    harness.devnet.moveHead('100%');
    const { url } = await behindProxy(async ({ method }) => {
      if (method === 'index.getIndex') return { error: { code: -32000, message: 'not found' } };
      if (method !== 'index.getContainerByIndex') return undefined;
      return { error: { code: -32000, message: 'no container at index 5' } };
    });
    expect(await harness.sync(indexes, url)).toMatchObject([{ outcome: 'failed', code: 'unavailable' }]);
    expect(await harness.sync(indexes)).toMatchObject([{ outcome: 'done' }]);
  });

  test('one of two nodes behind one URL does not know what was read, the other has it at its place: it is held', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], { head: '70%' });
    const indexes = { [stream]: { indexes: ['P/block'] } };
    await harness.sync(indexes);
    harness.devnet.moveHead('100%');
    const { url } = await behindProxy(async ({ method }) =>
      method === 'index.getIndex' ? { error: { code: -32000, message: 'not found' } } : undefined,
    );
    expect(await harness.sync(indexes, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await count()).toBe(1402n);
  });

  test.each([
    ['another node behind its URL has what was read: it is behind', ['index.getLastAccepted'], 'unavailable'],
    [
      'nothing that was read is there: it was wiped',
      ['index.getLastAccepted', 'index.getIndex', 'index.getContainerByIndex'],
      'source_shrank',
    ],
  ])('it says that it is empty, and %s', { tags: 'long' }, async (_, empty, code) => {
    harness = await startNodeHarness([containers]);
    const indexes = { [stream]: { indexes: ['P/block'] } };
    await harness.sync(indexes);
    const { url } = await behindProxy(async ({ method }) =>
      empty.includes(method) ? { error: { code: -32000, message: 'no containers have been accepted' } } : undefined,
    );
    expect(await harness.sync(indexes, url)).toMatchObject([{ outcome: 'failed', code }]);
  });

  test('a container is missing in one answer only: it is asked for again', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers]);
    let spoiled = false;
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'index.getContainerRange' || spoiled) return undefined;
      spoiled = true;
      const { containers: list } = (await forward()) as { containers: unknown[] };
      return { result: { containers: list.toSpliced(500, 1) } };
    });
    expect(await harness.sync({ [stream]: { indexes: ['P/block'] } }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await count()).toBe(1402n);
  });

  const without = (missing: (index: number) => boolean) =>
    (async ({ method, params, forward }) => {
      const { index } = params as { index?: number };
      if (method === 'index.getContainerByIndex' && missing(Number(index))) {
        return { error: { code: -32000, message: `no container at index ${index}` } };
      }
      if (method !== 'index.getContainerRange') return undefined;
      const { startIndex } = params as { startIndex: number };
      if (missing(startIndex)) return { error: { code: -32000, message: `no container at index ${startIndex}` } };
      const { containers: list } = (await forward()) as { containers: { index: string }[] };
      return { result: { containers: list.filter((container) => !missing(Number(container.index))) } };
    }) satisfies Override;

  test('it begins above zero and has holes: refused with what lies before kept, unless incomplete indexes are allowed', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(without((index) => index >= 600 && index <= 602));
    const [refused] = await harness.sync({ [stream]: { indexes: ['P/block'] } }, url);
    expect(refused).toMatchObject({ outcome: 'failed', code: 'refused' });
    expect(await count()).toBe(0n);

    const incomplete = await behindProxy(without((index) => index < 37 || (index >= 600 && index <= 602)));
    const parameters = { [stream]: { indexes: ['P/block'], allowIncomplete: true } };
    expect(await harness.sync(parameters, incomplete.url)).toMatchObject([{ outcome: 'done' }]);
    expect(await count()).toBe(BigInt(1402 - 37 - 3));
    const gaps = await harness.query('SELECT from_position, to_position FROM firn.gap ORDER BY 1');
    expect(gaps).toEqual([
      { from_position: 0n, to_position: 36n },
      { from_position: 600n, to_position: 602n },
    ]);
    expect(await harness.sync(parameters, incomplete.url)).toMatchObject([{ outcome: 'done', rows: 0, requests: 1 }]);
  });

  test('a hole that stays stops the index, with what lies before it kept', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'index.getContainerRange') return undefined;
      const { containers: list } = (await forward()) as { containers: { index: string }[] };
      return { result: { containers: list.filter(({ index }) => index !== '600') } };
    });
    const [result] = await harness.sync({ [stream]: { indexes: ['P/block'] } }, url);
    expect(result).toMatchObject({ outcome: 'failed', code: 'contract' });
    expect(result?.message).toContain('hole at index 600');
    expect(await count()).toBe(600n);
  });

  test('its numbers leave out heights that the node did not index: refused with what lies before kept, unless allowed', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], { gaps: { 'X/block': [[500, 520]] } });
    const [refused] = await harness.sync({ [stream]: { indexes: ['X/block'] } });
    expect(refused).toMatchObject({ outcome: 'failed', code: 'contract' });
    expect(refused?.message).toContain('index 499, which does not follow 498');
    expect(refused?.message).toContain('allowIncomplete: true');
    expect(await count()).toBe(499n);
    await harness.sync({ [stream]: { indexes: ['X/block'], allowIncomplete: true } });
    const heights = await harness.query(
      'SELECT min(height) AS low, count(*) AS n, max(height) AS high FROM raw.node_containers_x_blocks',
    );
    expect(heights).toEqual([{ low: 1n, n: BigInt(1300 - 21), high: 1300n }]);
    const gaps = await harness.query('SELECT from_position, to_position FROM firn.gap');
    expect(gaps).toEqual([{ from_position: 499n, to_position: 498n }]);
  });

  test('it was switched on late: nothing is read unless that is allowed, decoded or not', {
    tags: 'long',
  }, async () => {
    const gaps = { 'C/block': [[1, 3000]], 'P/block': [[1, 1390]], 'X/block': [[1, 1299]] } as const;
    harness = await startNodeHarness([containers], { gaps });
    for (const decode of [true, false]) {
      const refused = await harness.sync({ [stream]: { decode } });
      expect(refused.filter(({ outcome }) => outcome === 'failed')).toMatchObject(
        [3001, 1391, 1300].map((height) => ({
          code: 'contract',
          message: expect.stringMatching(`begins with the block of height ${height}, .* allowIncomplete: true`),
        })),
      );
      expect(await count()).toBe(0n);
    }
    expect((await harness.sync({ [stream]: { allowIncomplete: true } })).map(({ outcome }) => outcome)).toEqual(
      Array(5).fill('done'),
    );
    expect(await count()).toBe(BigInt(3538 - 3000 + 1402 - 1390 + 1));
    // What was read before stays readable.
    expect(await harness.sync({ [stream]: {} })).toEqual(
      Array(5).fill(expect.objectContaining({ outcome: 'done', rows: 0 })),
    );
  });

  test.each([
    [
      'the second of two ranges',
      1301,
      1024,
      'the block of height 1125 as index 1024, where that of height 1025 belongs',
    ],
    [
      'the rest of the only one',
      1023,
      600,
      'the block of height 1124 as index 1023, where that of height 1024 belongs',
    ],
  ])(
    'of two nodes behind one URL one has a late index, and gives %s: what both have is not mixed, undecoded too',
    {
      tags: 'long',
    },
    async (_, head, whole, said) => {
      harness = await startNodeHarness([containers]);
      const { url } = await behindProxy(async ({ method, params, forward }) => {
        if (method === 'index.getLastAccepted') return { result: { index: String(head) } };
        const { startIndex = 0 } = params as { startIndex?: number };
        if (method !== 'index.getContainerRange') return undefined;
        if (startIndex === 0) return { result: await forward({ ...(params as object), numToFetch: whole }) };
        const late = { ...(params as object), startIndex: startIndex + 100 };
        const { containers: list } = (await forward(late)) as { containers: { index: string }[] };
        return { result: { containers: list.map((one) => ({ ...one, index: String(Number(one.index) - 100) })) } };
      });
      const [refused] = await harness.sync({ [stream]: { indexes: ['P/block'], decode: false } }, url);
      expect(refused).toMatchObject({
        code: 'contract',
        message: expect.stringContaining(said),
      });
      expect(await count()).toBe(whole === 1024 ? 1024n : 0n);
    },
  );

  test('a server that plays a recording over and over has each position once, undecoded', async () => {
    harness = await startNodeHarness([containers]);
    let laps = 3;
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method === 'index.getLastAccepted') return { result: { index: String(laps * 1402 - 1) } };
      if (method === 'index.getContainerByIndex') {
        const { index } = params as { index: number };
        const one = (await forward({ ...(params as object), index: index % 1402 })) as object;
        return { result: { ...one, index: String(index) } };
      }
      if (method !== 'index.getContainerRange') return undefined;
      const { startIndex, numToFetch } = params as { startIndex: number; numToFetch: number };
      const begin = startIndex % 1402;
      const asked = { ...(params as object), startIndex: begin, numToFetch: Math.min(numToFetch, 1402 - begin) };
      const { containers: list } = (await forward(asked)) as { containers: object[] };
      return { result: { containers: list.map((one, at) => ({ ...one, index: String(startIndex + at) })) } };
    });
    const parameters = { [stream]: { indexes: ['P/block'], decode: false } };
    expect(await harness.sync(parameters, url)).toMatchObject([{ outcome: 'done', rows: laps * 1402 }]);
    laps++;
    expect(await harness.sync(parameters, url)).toMatchObject([{ outcome: 'done', rows: 1402 }]);
  });

  test('nor is it across runs, where only the whole one is asked about the last container', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers], { head: '70%' });
    const parameters = { [stream]: { indexes: ['P/block'], decode: false } };
    await harness.sync(parameters);
    const before = Number(await count());
    harness.devnet.moveHead('100%');
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method === 'index.getLastAccepted') return { result: { index: '1301' } };
      if (method !== 'index.getContainerRange') return undefined;
      const late = { ...(params as object), startIndex: before + 100 };
      const { containers: list } = (await forward(late)) as { containers: { index: string }[] };
      return { result: { containers: list.map((one) => ({ ...one, index: String(Number(one.index) - 100) })) } };
    });
    expect(await harness.sync(parameters, url)).toMatchObject([
      { code: 'contract', message: expect.stringContaining(`where that of height ${before + 1} belongs`) },
    ]);
    expect(await count()).toBe(BigInt(before));
  });

  test('it was wiped: said so, nothing overwritten; also when it has grown again', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers], { head: '70%' });
    const parameters = { [stream]: { indexes: ['P/block'] } };
    await harness.sync(parameters);
    const before = await count();
    harness.devnet.configure({ gaps: { 'P/block': [[1, 500]] } });
    expect(await harness.sync(parameters)).toMatchObject([{ outcome: 'failed', code: 'source_shrank' }]);
    harness.devnet.configure({ gaps: { 'P/block': [[1, 100]] } });
    harness.devnet.moveHead('100%');
    const [grown] = await harness.sync(parameters);
    expect(grown).toMatchObject({ outcome: 'failed', code: 'source_shrank' });
    expect(grown?.message).toContain('no longer holds');
    expect(await count()).toBe(before);
  });

  /** Container 7 of each answer, changed. */
  const spoiled = (change: (container: { id: string; bytes: string }) => object, times = Number.POSITIVE_INFINITY) => {
    let left = times;
    return (async ({ method, params, forward }) => {
      const { startIndex } = params as { startIndex: number };
      if (method !== 'index.getContainerRange' || startIndex !== 0 || left-- <= 0) return undefined;
      const { containers: list } = (await forward()) as { containers: { id: string; bytes: string }[] };
      return {
        result: { containers: list.map((each, i) => (i === 7 ? { ...each, ...change(each) } : each)) },
      };
    }) satisfies Override;
  };
  const flip = ({ bytes }: { bytes: string }) => ({
    bytes: `${bytes.slice(0, 40)}${bytes[40] === '0' ? '1' : '0'}${bytes.slice(41)}`,
  });

  test('a byte that was flipped on the way: asked for again, and whole', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(spoiled(flip, 1));
    const [result] = await harness.sync({ [stream]: { indexes: ['P/block'] } }, url);
    expect(result).toMatchObject({ outcome: 'done', quarantined: 0 });
    expect(await count()).toBe(1402n);
  });

  test('a byte that stays flipped: this container goes to quarantine, the others are kept, and it comes when it is right', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(spoiled(flip));
    const [result] = await harness.sync({ [stream]: { indexes: ['P/block'] } }, url);
    expect(result).toMatchObject({ outcome: 'done', quarantined: 1 });
    expect(await count()).toBe(1401n);
    const [held] = await harness.query<{ reason: string; record: string }>(
      'SELECT reason, record FROM firn.quarantine',
    );
    expect(held?.reason).toMatch(/^bytes: Checksum/);
    expect(JSON.parse(held?.record ?? '')).toMatchObject({ index: '7' });

    await harness.sync({ [stream]: { indexes: ['P/block'] } });
    expect(await count()).toBe(1402n);
    expect(await count('raw.node_containers_p_blocks')).toBe(1402n);
    expect(await harness.value('SELECT count(*) FROM firn.quarantine WHERE replayed_at IS NULL')).toBe(0n);
  });

  test('an id that is not its bytes: the container is kept, what it says is not', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers]);
    const { url } = await behindProxy(spoiled(() => ({ id: '2QouvFVDiS4mNaeGD6FUPDhaoKnGCLhSSAoUYgqoWQ8PGAvLVG' })));
    const [result] = await harness.sync({ [stream]: { indexes: ['P/block'] } }, url);
    expect(result).toMatchObject({ quarantined: 1 });
    expect(await harness.query('SELECT reason FROM firn.quarantine')).toMatchObject([
      { reason: expect.stringMatching(/^id: the bytes are those of .+, not of 2Qou/) },
    ]);
    const undecoded = async () =>
      harness.query(
        await readFile(join(import.meta.dirname, '../../../sql/audits/assert_node_containers_decoded.sql'), 'utf8'),
      );
    const found = {
      index: 7n,
      decode_error: expect.stringMatching(/^the bytes are/),
      relation: 'raw.node_containers_p_*',
    };
    expect(await undecoded()).toMatchObject([found]);
    await acceptQuarantine(harness.warehouse, { all: true }, 'a test');
    await noteGaps(harness.warehouse);
    expect(await undecoded()).toEqual([]);
    await reopenQuarantine(harness.warehouse, { all: true });
    await noteGaps(harness.warehouse);
    expect(await undecoded()).toMatchObject([found]);

    await harness.sync({ [stream]: { indexes: ['P/block'] } });
    expect(await undecoded()).toEqual([]);
    expect(await count()).toBe(1402n);
    expect(await count('raw.node_containers_p_blocks')).toBe(1402n);
  });

  test('faults at random: what one answer spoils another one brings', { tags: 'long' }, async () => {
    harness = await startNodeHarness([containers], {
      faults: { checksum: 0.3, hole: 0.3, wrongId: 0.3 },
      faultSeed: 7,
    });
    const decoded = () =>
      harness.value(`SELECT count(*) FROM (SELECT block_id FROM raw.node_containers_p_blocks
        UNION ALL SELECT block_id FROM raw.node_containers_x_blocks)`);
    for (let runs = 0; runs < 12 && (await decoded()) !== 2702n; runs++)
      await harness.sync({ [stream]: { indexes: ['P/block', 'X/block'] } });
    expect(await decoded()).toBe(2702n);
    expect(await count()).toBe(2702n);
  });

  test('decode: false stores the bytes alone; switched on, what was stored is decoded too, also where it was interrupted', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([containers]);
    const decoded = () => count('raw.node_containers_p_blocks');
    const settings = { indexes: ['P/block'], decode: false };
    await harness.sync({ [stream]: settings });
    expect(await count()).toBe(1402n);
    expect(await decoded()).toBe(0n);
    let isDown = true;
    const { url, calls } = await behindProxy(async ({ params }) =>
      isDown && (params as { startIndex?: number }).startIndex === 1024
        ? { error: { code: -32000, message: 'internal error' } }
        : undefined,
    );
    expect(await harness.sync({ [stream]: { ...settings, decode: true } }, url)).toMatchObject([{ outcome: 'failed' }]);
    expect(await decoded()).toBe(1024n);
    isDown = false;
    await harness.sync({ [stream]: { ...settings, decode: true } }, url);
    expect(await decoded()).toBe(1402n);
    expect(await count()).toBe(1402n);
    calls.length = 0;
    await harness.sync({ [stream]: { ...settings, decode: true } }, url);
    expect(calls.filter(({ method }) => method.startsWith('index.'))).toMatchObject([
      { method: 'index.getLastAccepted' },
    ]);
  });
});

describe('single records', () => {
  const [partition] = containers.partitions(
    { indexes: ['P/block'], decode: true, allowIncomplete: false } as never,
    {} as never,
  );
  const network = { networkId: 12345, network: 'local', hrp: 'local', chains: [] };
  const parse = (record: object) =>
    parsed(containers as never, partition as never, network, [
      {
        id: 'x',
        bytes: encodeHexChecksum(new Uint8Array([1, 2, 3])),
        encoding: 'hex',
        index: '7',
        timestamp: '2026-01-20T00:00:00Z',
        timestampText: '2026-01-20T00:00:00Z',
        ...record,
      },
    ]);

  test('a time with an offset and nine digits becomes UTC, cut to microseconds; the original stays', () => {
    const timestamp = '2026-01-19T17:00:00.123456789-07:00';
    const [row] = parse({ timestamp, timestampText: timestamp }).rows;
    expect(row).toMatchObject({ timestamp: Date.UTC(2026, 0, 20) * 1000 + 123456, timestamp_text: timestamp });
  });

  test('bytes that are no block are kept, with the reason in quarantine', () => {
    const page = parse({});
    expect(page.rows).toMatchObject([{ decode_error: expect.stringContaining('bare block') }]);
    expect(page.quarantined).toHaveLength(1);
    expect(page.quarantined[0]?.reason).toMatch(/^bytes: /);
    expect(page.children['containers_p_blocks']).toEqual([]);
  });
});
