/** @module-tag long */
import { type Devnet, readLedger, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentRows, type Rows, syncOnce, withFolder } from '../standardHarness.ts';

const date = '2026-02-03';
const streams = ['data/address_transactions', 'data/address_erc721_transfers', 'data/address_internal_transactions'];
const tables = streams.map((id) => `raw.${id.replace('/', '_')}`);

let devnet: Devnet;
let addresses: string[];
/** Height of the first block of that day. */
let height: number;
/** Everything, whenever it happened. */
let whole: Rows;

const asked = () => Object.values(devnet.stats().requests).reduce((sum, count) => sum + count, 0);
const parametersOf = (more: object, of = addresses) =>
  Object.fromEntries(streams.map((id) => [id, { chainIds: ['43112'], addresses: of, ...more }]));
const isWanted = (row: string) => (JSON.parse(row) as { block_timestamp: string }).block_timestamp >= date;

async function sync(folder: string, parameters: Record<string, object>) {
  const before = asked();
  const results = await syncOnce(folder, devnet, parameters);
  expect(results.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  return asked() - before;
}

beforeAll(async () => {
  const ledger = await readLedger();
  devnet = await startDevnet({ ledger });
  const times = ledger.c.blocks.map(({ block }) => Number((JSON.parse(block) as { timestamp: string }).timestamp));
  height = times.findIndex((time) => time >= Date.parse(date) / 1000);
  const senders = ledger.c.blocks.flatMap(({ block }) =>
    (JSON.parse(block) as { transactions: { from: string }[] }).transactions.map(({ from }) => from),
  );
  // Busy and quiet ones, and one that never did anything.
  const all = [...new Set(senders)];
  addresses = [...all.slice(0, 10), ...all.slice(-7), `0x${'00'.repeat(19)}77`];
  await withFolder(async (folder) => {
    await sync(folder, parametersOf({ from: 0 }));
    whole = await currentRows(folder, ...tables);
  });
}, 120_000);
afterAll(() => devnet.close());

describe('a date, for 54 partitions of one chain', () => {
  test('is looked for once, brings the rows from it on, and is known to later partitions and runs', () =>
    withFolder(async (folder) => {
      const others = addresses.slice(0, -1);
      const pages = await withFolder((other) => sync(other, parametersOf({ from: height }, others)));
      const first = await sync(folder, parametersOf({ from: date }, others));
      // A few thousand blocks are searched by a dozen looks, the last of them twice; three partitions begin to look beside the one whose
      // turn it is.
      expect(first - pages).toBeLessThan(30);
      // One request a partition, and one that asks the node which network it is.
      const again = await sync(folder, parametersOf({ from: date }));
      expect(again).toBe(3 * addresses.length + 1);
      expect(await sync(folder, parametersOf({ from: date }))).toBe(again);
      const rows = await currentRows(folder, ...tables);
      for (const table of tables) {
        const wanted = (whole[table] ?? []).filter(isWanted);
        expect(wanted.length).toBeGreaterThan(0);
        expect(wanted.length).toBeLessThan(whole[table]?.length ?? 0);
        expect(rows[table]).toEqual(wanted);
      }
    }));
});
