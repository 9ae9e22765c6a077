import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { tokenPages } from '../../src/core/paging/tokenPages.ts';
import { decodeCb58, encodeCb58 } from '../../src/decode/bytes/cb58.ts';
import { readCsv } from '../../src/decode/csv.ts';
import { RlpReader } from '../../src/decode/evm/rlpReader.ts';
import { type Manifest, readCurrent, writeCurrent } from '../../src/publish/manifest.ts';
import { readTree, tree, writeTree } from '../decode/evm/rlpTree.ts';
import { fuzzRuns } from '../fuzzRuns.ts';
import { temporary } from '../temporaryFolders.ts';

// What comes from outside and is read by hand: whatever it holds, it is read or refused in the one way in which it may be. Containers, EVM
// blocks, pages, zip archives and CSV cells have their like beside their own tests.

let folder: string;
beforeAll(async () => {
  folder = await temporary();
});

/** What a reading gives; undefined where it is refused with one of these codes. */
function unlessRefused<T>(codes: readonly string[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof FirnError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Bytes of a text changed, cut out or put in. */
const damaged = (text: string) =>
  fc
    .array(
      fc.tuple(
        fc.nat(text.length - 1),
        fc.nat(4),
        fc.oneof(
          fc.string({ maxLength: 4 }),
          fc.constantFrom('\0', '\n', ': ', '- ', '{', '"', '&a', '*a', '!!x', '\u2028'),
        ),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((changes) => changes.reduce((now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut), text));

test('RLP is refused, or is the one way to write what is read of it', () => {
  const changed = fc.tuple(tree.map(writeTree), fc.nat(), fc.nat(255), fc.nat(3)).map(([bytes, at, value, cut]) => {
    bytes[at % bytes.length] = value;
    return bytes.subarray(0, bytes.length - Math.min(cut, bytes.length));
  });
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 80 })), (bytes) => {
      const reader = new RlpReader(Buffer.from(bytes));
      const value = unlessRefused(['decode'], () => readTree(reader));
      if (value) expect(writeTree(value).equals(Buffer.from(bytes).subarray(0, reader.offset))).toBe(true);
    }),
    { numRuns: fuzzRuns(1500) },
  );
});

test('cb58 is refused, or is the one way to write what is read of it', () => {
  const changed = fc
    .tuple(fc.uint8Array({ maxLength: 40 }).map(encodeCb58), fc.nat(), fc.string({ maxLength: 2 }))
    .map(
      ([text, at, put]) =>
        text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + put.length),
    );
  fc.assert(
    fc.property(fc.oneof(changed, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
      const bytes = unlessRefused(['decode'], () => decodeCb58(text));
      if (bytes) expect(encodeCb58(bytes)).toBe(text);
    }),
    { numRuns: fuzzRuns(1500) },
  );
});

test('CSV is refused, or its rows written again are the same rows', async () => {
  const rowsOf = async (text: string) => {
    const rows: string[][] = [];
    for await (const some of readCsv(
      (async function* () {
        yield text;
      })(),
    ))
      rows.push(...some);
    return rows;
  };
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom('"', '""', ',', '\n', '\r', '\r\n', '\uFEFF'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      const rows = await rowsOf(pieces.join('')).catch((error: unknown) => {
        if (error instanceof FirnError && error.code === 'contract') return undefined;
        throw error;
      });
      const quoted = rows?.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`);
      if (quoted) expect(await rowsOf(quoted.join(''))).toEqual(rows);
    }),
    { numRuns: fuzzRuns(1500) },
  );
});

test('page tokens end a list, lead on, or are refused: no list is read for ever, and no page twice', () => {
  const token = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('', null, undefined, 0, {}, []));
  const list = fc.array(fc.record({ nextPageToken: token, rows: fc.array(fc.nat(3), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(list, (pages) => {
      const seen: unknown[] = [];
      const walk = tokenPages(
        (at) => ({ kind: 'get', path: '/list', query: { pageToken: at }, weight: 1 }),
        (page) => seen.push(page),
      );
      let given = 0;
      unlessRefused(['contract'], () => {
        for (let step = walk.next(); !step.done; ) {
          // One page more than there are tokens.
          expect(given).toBeLessThanOrEqual(6);
          step =
            step.value.kind === 'read'
              ? walk.next(undefined as never)
              : walk.next({ body: pages[given++ % pages.length] } as never);
        }
      });
      expect(seen.length).toBeLessThanOrEqual(given);
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

const config = `warehouse: ./warehouse
sources:
  node: { url: "http://127.0.0.1:9650", timeouts: { total: 1000 } }
  data: { url: "http://127.0.0.1:9650", network: fuji, key: "\${env:FIRN_NO_KEY}", quota: { perMinute: 6000 } }
pipelines:
  primary:
    schedule: "*/10 * * * *"
    streams:
      node/containers: { indexes: [C/block, P/block] }
      data/address_transactions: { chainIds: ["43112"], addresses: ["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc"] }
keep: 400d
`;

test('a configuration is read, or refused with the file that is wrong', () => {
  const file = join(folder, 'firn.yaml');
  fc.assert(
    fc.property(damaged(config), (text) => {
      writeFileSync(file, text);
      unlessRefused(['config'], () => readConfig({ config: file }));
    }),
    { numRuns: fuzzRuns(150) },
  );
});

test('a manifest is what was written, or is refused', async () => {
  const manifest: Manifest = {
    format: 2,
    version: 7,
    run_id: 'test',
    published_at: '2026-01-20T12:00:00.000Z',
    tables: [],
    views: [],
    macros: [],
    held_back: ['mart.metric'],
  };
  await writeCurrent(folder, manifest, []);
  const written = await readCurrent(folder);
  const file = join(folder, 'lake', '_manifest.json');
  const text = readFileSync(file, 'utf8');
  await fc.assert(
    fc.asyncProperty(damaged(text), async (changed) => {
      writeFileSync(file, changed);
      const found = await readCurrent(folder).catch((error: unknown) => {
        if (error instanceof FirnError) return 'refused';
        throw error;
      });
      if (found !== 'refused') expect(found).toEqual(written);
    }),
    { numRuns: fuzzRuns(1000) },
  );
});
