import { cp } from 'node:fs/promises';
import { type Devnet, type DevnetOptions, readLedger, startDevnet } from 'firn-devnet';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import type { Stream } from '../../src/core/stream/stream.ts';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';
import {
  checkpointsOf,
  currentRows,
  fromADay,
  parametersOf,
  type Rows,
  type Streams,
  syncOnce,
  withFolder,
} from './standardHarness.ts';

// What every stream of the catalogue must do against the embedded network. A new stream gets these tests for free: it
// needs an entry in `parametersOf` only where it cannot be read without parameters.

const patience = 600_000;
/** Where the network stands at first, and what it grows to: enough for many pages of everything, and for rows of every stream. */
const begin = '24%';
const end = '40%';
const streamTests = catalogue.map((stream): [string, Stream] => [stream.id, stream]);
/** Lookups read as many keys as their budget allows. */
const readsAll = streamTests.filter(([, { way }]) => way !== 'lookup');
/** Those that read lists page by page, which a node has none of: what only pages and their rows can have would not reach its streams. */
const readsLists = readsAll.filter(([, { source }]) => source.name !== 'node');

let ledger: Awaited<ReturnType<typeof readLedger>>;
let streams: Streams;
/** What an undisturbed sync of the whole history brings. */
let reference: Rows;
/** A warehouse that has read all there is where its network stands at first: to be copied. */
let begun: {
  readonly devnet: Devnet;
  readonly folder: string;
  readonly results: readonly PartitionResult[];
  readonly rows: Rows;
};

/** Goes on in a copy of what was read where the network stood at first. */
const withCopy = (work: (folder: string) => Promise<void>) =>
  withFolder(async (folder) => {
    await cp(begun.folder, folder, { recursive: true });
    await work(folder);
  });

async function withDevnet<T>(options: DevnetOptions, work: (devnet: Devnet) => Promise<T>): Promise<T> {
  const devnet = await startDevnet({ ledger, ...options });
  try {
    return await work(devnet);
  } finally {
    await devnet.close();
  }
}

/**
 * Columns that change after an answer was read: the network's own address, and what later transactions change in earlier ones (a
 * transaction is read once; the spent state of UTXOs is kept by data/utxos).
 */
function lasting(table: string, row: string): string {
  const text = row.replaceAll(/127\.0\.0\.1:\d+/g, 'network');
  if (!/^raw\.data_primary_transactions(_emitted_utxos)?$/.test(table)) return text;
  const changing = [
    'reward_tx_hash',
    'consuming_tx_hash',
    'consuming_block_number',
    'consuming_block_timestamp',
    'staked',
    'credentials',
  ];
  return JSON.stringify(Object.entries(JSON.parse(text)).filter(([name]) => !changing.includes(name)));
}

const withPages = (): Streams => Object.fromEntries(readsLists.map(([id]) => [id, streams[id] ?? {}]));
const tablesOf = ({ table, children }: Stream) => [table, ...Object.values(children).map((child) => child.table)];
const resultsOf = (results: readonly PartitionResult[], id: string) => results.filter(({ stream }) => stream === id);

const compared = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Rows of a table as they are compared. Each test asks for those of the reference. */
function comparedRows(table: string, rows: readonly string[]): ReadonlySet<string> {
  const known = compared.get(rows) ?? new Set(rows.map((row) => lasting(table, row)));
  compared.set(rows, known);
  return known;
}

/** Compares every table of a stream; the message names the first row that only one side has. */
function expectSame(stream: Stream, rows: Rows, wanted: Rows): void {
  for (const { name } of tablesOf(stream)) {
    const { [name]: found = [] } = rows;
    const { [name]: expected = [] } = wanted;
    const [inFound, inExpected] = [comparedRows(name, found), comparedRows(name, expected)];
    expect({
      table: name,
      rows: found.length,
      missing: [...inExpected].find((row) => !inFound.has(row)),
      extra: [...inFound].find((row) => !inExpected.has(row)),
    }).toEqual({ table: name, rows: expected.length, missing: undefined, extra: undefined });
  }
}

beforeAll(async () => {
  ledger = await readLedger();
  // Addresses and nodes are looked up where the tests begin, so that there is something to read from the first.
  const devnet = await startDevnet({ ledger, head: begin });
  streams = await parametersOf(devnet);
  const folder = await temporary();
  await placeState(folder);
  const results = await syncOnce(folder, devnet, streams);
  begun = { devnet, folder, results, rows: await currentRows(folder) };
  await withDevnet({ head: end }, async (devnet) => {
    reference = await withFolder(async (folder) => {
      await syncOnce(folder, devnet, streams);
      return currentRows(folder);
    });
  });
  return () => devnet.close();
}, patience);

test.each(readsAll)('%s brings rows, all different by their key', (_, stream) => {
  for (const table of tablesOf(stream)) {
    const keys = (reference[table.name] ?? []).map((row) => {
      const record = JSON.parse(row) as Record<string, unknown>;
      return JSON.stringify(table.key.map((name) => record[name]));
    });
    expect(new Set(keys).size).toBe(keys.length);
  }
  expect(reference[stream.table.name]?.length).toBeGreaterThan(0);
});

describe('a network that grows', () => {
  let second: readonly PartitionResult[];
  let again: Rows;
  let grown: Rows;

  beforeAll(async () => {
    const { devnet } = begun;
    await withCopy(async (folder) => {
      second = await syncOnce(folder, devnet, streams);
      again = await currentRows(folder);
      devnet.moveHead(end);
      await syncOnce(folder, devnet, streams);
      grown = await currentRows(folder);
    });
  }, patience);

  test.each(readsAll)('%s is read to its end', (id) => {
    const outcomes = resultsOf(begun.results, id).map(({ outcome, quarantined, message }) => ({
      outcome,
      quarantined,
      message,
    }));
    expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'done', quarantined: 0, message: undefined })));
  });

  test.each(readsAll)('%s brings nothing where nothing is new, and asks once', (id, stream) => {
    expectSame(stream, again, begun.rows);
    expect(resultsOf(second, id).map(({ rows }) => rows)).toEqual(resultsOf(second, id).map(() => 0));
    if (stream.way === 'snapshot') return;
    expect(resultsOf(second, id).filter(({ requests }) => requests > 1)).toEqual([]);
  });

  test.each(readsAll)('%s brings what is new as if it had been there from the first', (_, stream) => {
    expectSame(stream, grown, reference);
  });
});

describe('a sync that is interrupted again and again', () => {
  let rows: Rows;

  beforeAll(async () => {
    await withDevnet({ head: end }, (devnet) =>
      withFolder(async (folder) => {
        for (const requests of [5, 40, 120]) {
          let left = requests;
          await syncOnce(folder, devnet, streams, {
            before() {
              if (left-- <= 0) throw new Error('killed');
            },
          });
        }
        await syncOnce(folder, devnet, streams);
        rows = await currentRows(folder);
      }),
    );
  }, patience);

  test.each(readsAll)('%s ends as if it had not been', (_, stream) => {
    expectSame(stream, rows, reference);
  });
});

describe('a network whose answers go wrong', () => {
  let rows: Rows;

  beforeAll(async () => {
    const faults = {
      duplicate: 0.05,
      overlapping: 0.05,
      reordered: 0.05,
      shuffled: 0.05,
      empty: 0.05,
      emptyFirst: 0.1,
      short: 0.05,
      wrongBody: 0.01,
      429: 0.003,
      500: 0.02,
      reset: 0.02,
    };
    await withDevnet({ head: end, faults, faultSeed: 7 }, (devnet) =>
      withFolder(async (folder) => {
        for (let runs = 0; runs < 6; runs++) {
          const results = await syncOnce(folder, devnet, streams, { retry: { baseMs: 1, holdMs: 1 } });
          if (results.every(({ outcome }) => outcome === 'done')) break;
        }
        rows = await currentRows(folder);
      }),
    );
  }, patience);

  test.each(readsAll)('%s ends as if they had not', (_, stream) => {
    expectSame(stream, rows, reference);
  });
});

/** Faults of pages: the first in every run, the others in long ones. */
const ofPages: readonly (readonly [string, DevnetOptions['faults'] & object])[] = [
  [
    'the first page of every list is empty and carries a token, and rows of a page come in any order',
    { emptyFirst: 1, shuffled: 1 },
  ],
  [
    'the second page of every list is empty and carries a token, and pages come in another order',
    { emptySecond: 1, reordered: 0.5 },
  ],
  ['every look at a list is answered by an empty page that carries a token', { emptyLook: 1 }],
];
for (const [place, [name, faults]] of ofPages.entries())
  describe(name, { tags: place > 0 ? ['long'] : [] }, () => {
    let results: readonly PartitionResult[];
    let rows: Rows;

    beforeAll(async () => {
      await withDevnet({ head: end, faults }, (devnet) =>
        withFolder(async (folder) => {
          results = await syncOnce(folder, devnet, fromADay(withPages()));
          rows = await currentRows(folder);
        }),
      );
    }, patience);

    test.each(readsLists)('%s brings the same rows', (id, stream) => {
      expect(resultsOf(results, id).filter(({ outcome }) => outcome !== 'done')).toEqual([]);
      expectSame(stream, rows, reference);
    });
  });

describe('answers with status 200 that are not what was asked for', () => {
  let wrong: readonly PartitionResult[];
  let checkpoints: readonly string[][];
  let meanwhile: Rows;
  let after: Rows;

  beforeAll(async () => {
    await withDevnet({ head: end }, (devnet) =>
      withCopy(async (folder) => {
        const stood = await checkpointsOf(folder);
        const ready = () => devnet.setFaults({ wrongBody: 1 });
        wrong = await syncOnce(folder, devnet, streams, { ready, retry: { attempts: 2, baseMs: 1, holdMs: 1 } });
        meanwhile = await currentRows(folder);
        checkpoints = [stood, await checkpointsOf(folder)].map((all) => [...all]);
        devnet.setFaults({});
        await syncOnce(folder, devnet, streams);
        after = await currentRows(folder);
      }),
    );
  }, patience);

  test.each(streamTests)('%s takes none of them for an answer', (id, stream) => {
    const asked = resultsOf(wrong, id).filter(({ requests }) => requests > 0);
    expect(asked.map(({ outcome, code, rows }) => ({ outcome, code, rows }))).toEqual(
      asked.map(() => ({ outcome: 'failed', code: 'contract', rows: 0 })),
    );
    expectSame(stream, meanwhile, begun.rows);
  });

  test('no checkpoint moves', () => {
    expect(checkpoints[1]).toEqual(checkpoints[0]);
  });

  test.each(readsAll)('%s ends as if there had been none', (_, stream) => {
    expectSame(stream, after, reference);
  });
});

describe('a network that forgets its page tokens in the middle', () => {
  let results: readonly PartitionResult[];
  let rows: Rows;

  beforeAll(async () => {
    let now = Date.now();
    let left = 60;
    const services = {
      clock() {
        if (left-- === 0) now += 25 * 3600 * 1000;
        return now;
      },
    };
    await withDevnet({ head: end, services }, (devnet) =>
      withFolder(async (folder) => {
        results = await syncOnce(folder, devnet, withPages());
        rows = await currentRows(folder);
      }),
    );
  }, patience);

  test.each(readsLists)('%s begins again and ends as if it had not', (id, stream) => {
    expect(resultsOf(results, id).filter(({ outcome }) => outcome !== 'done')).toEqual([]);
    expectSame(stream, rows, reference);
  });
});

describe('a later release of the services', { tags: 'long' }, () => {
  let results: readonly PartitionResult[];
  let rows: Rows;

  beforeAll(async () => {
    await withDevnet({ head: end, faults: { drift: 0.3 } }, (devnet) =>
      withFolder(async (folder) => {
        results = await syncOnce(folder, devnet, withPages());
        rows = await currentRows(folder);
      }),
    );
  }, patience);

  test.each(readsLists)('%s keeps every record, with what it does not know beside it', (id, stream) => {
    expect(resultsOf(results, id).filter(({ outcome, quarantined }) => outcome !== 'done' || quarantined > 0)).toEqual(
      [],
    );
    for (const { name } of tablesOf(stream))
      expect([name, rows[name]?.length]).toEqual([name, reference[name]?.length]);
  });
});
