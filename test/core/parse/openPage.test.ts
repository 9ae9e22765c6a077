import { expect, test } from 'vitest';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { OpenPage } from '../../../src/core/parse/openPage.ts';
import { emptyPage, parseRecords } from '../../../src/core/parse/parseRecords.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { callsStream, partition, transfer, transfersStream } from '../../load/transfers.ts';
import { ways } from './ways.ts';

const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };
const part = (logIndex: number) => ({ logIndex, amount: '1' });

/** Gathers pages of records behind each other. */
function gathering(stream: Stream) {
  const into = { ...emptyPage(stream, partition), marks: [] as (readonly number[])[] };
  const pages: OpenPage[] = [];
  return {
    into,
    page(...records: readonly unknown[]): OpenPage {
      const page = new OpenPage(stream.table, { body: {} });
      pages.push(page);
      page.read(into, () => parseRecords(stream, partition, network, records, into));
      return page;
    },
    settle: () => OpenPage.settle(stream.table, pages.splice(0), into),
  };
}

const columnOf = ({ into }: ReturnType<typeof gathering>, column: string) =>
  into.set.own.toObjects().map((row) => row[column]);

test.each(ways)('rows are seen by column, and what cannot be read by what it says: %s', (_, given) => {
  const pages = gathering(transfersStream());
  const bad = { ...transfer(7), value: 'much' };
  const page = pages.page(...[transfer(5), bad, { ...transfer(6), note: 'n' }].map(given));
  expect([page.length, page.kept]).toEqual([3, 3]);
  expect([...page.numbers('height')]).toEqual([5, 6, 7]);
  expect(page.texts(['height', 'note']).slice(0, 2)).toEqual(['5\u0000null', '6\u0000n']);
  expect(() => page.numbers('colour')).toThrow(/has no column colour/);
});

test.each(ways)(
  'what lies outside goes with its children, the rest stays in order; a record that cannot be read goes by what it says: %s',
  (_, given) => {
    const pages = gathering(transfersStream());
    const before = pages.page(given({ ...transfer(1), parts: [part(1)] }));
    expect(before.kept).toBe(1);
    expect(pages.settle()).toEqual({ first: 0, kept: 1 });
    const bad = (height: unknown) => ({ ...transfer(1), height, value: 'much' });
    const page = pages.page(
      ...[9, 4, 8, 5, 7, 6].map((height) => given({ ...transfer(height), parts: [part(height), part(height + 10)] })),
      ...[bad(2), bad(6), bad('high')].map(given),
    );
    page.within('height', 5, 8);
    expect([page.length, page.kept]).toEqual([9, 5]);
    // Places stay what they were.
    expect(page.numbers('height')[0]).toBe(9);
    expect(pages.settle()).toEqual({ first: 1, kept: 5 });
    expect(columnOf(pages, 'height')).toEqual([1, 5, 7, 6]);
    const parts = pages.into.set.rowsOf('transfers_parts').toObjects();
    expect(parts.map((row) => row['log_index'])).toEqual([1, 5, 15, 7, 17, 6, 16]);
    expect(parts.map((row) => row['height'])).toEqual([1, 5, 5, 7, 7, 6, 6]);
    const last = { own: pages.into.set.own.row(3)['tx_hash'], part: parts.at(-1)?.['tx_hash'] };
    expect(last.part).toBe(last.own);
    expect(pages.into.quarantined.map(({ record }) => JSON.parse(record).height)).toEqual([6, 'high']);
  },
);

test('a page that is dropped brings nothing, and open ends leave all', () => {
  const pages = gathering(transfersStream());
  pages.page(transfer(1), transfer(2)).within('height', undefined, null);
  const dropped = pages.page(transfer(3), { height: 4 });
  dropped.hold();
  dropped.drop();
  expect(dropped.isHeld).toBe(false);
  expect(pages.settle()).toEqual({ first: 0, kept: 2 });
  expect(columnOf(pages, 'height')).toEqual([1, 2]);
  expect(pages.into.quarantined).toEqual([]);
});

test('a page on which nothing can be read, and of which something is left out, takes nothing from those before it', () => {
  const pages = gathering(transfersStream());
  pages.page({ ...transfer(1), parts: [part(1)] }, transfer(2));
  pages.settle();
  const bad = (height: number) => ({ ...transfer(height), value: 'much' });
  pages.page(bad(0), bad(3)).within('height', 1);
  expect(pages.settle()).toEqual({ first: 2, kept: 1 });
  expect(columnOf(pages, 'height')).toEqual([1, 2]);
  expect(pages.into.set.rowsOf('transfers_parts')).toHaveLength(1);
  expect(pages.into.quarantined).toHaveLength(1);
});

test('rows without a key are counted on their page; on pages that were held together as on one', () => {
  const call = { height: 7, to: 'a', value: '1' };
  const pages = gathering(callsStream());
  pages.page(call, call);
  pages.settle();
  pages.page(call, { ...call, to: 'b' });
  pages.settle();
  expect(columnOf(pages, 'position')).toEqual([0, 1, 0, 0]);
  const held = pages.page(call);
  held.hold();
  pages.page(call, call).drop();
  pages.page({ ...call, to: 'b' }, call);
  expect(held.isHeld).toBe(true);
  held.take();
  expect(held.isHeld).toBe(false);
  expect(pages.settle()).toEqual({ first: 4, kept: 3 });
  expect(columnOf(pages, 'position').slice(4)).toEqual([0, 0, 1]);
  pages.page(call);
  pages.page(call);
  pages.settle();
  expect(columnOf(pages, 'position').slice(7)).toEqual([0, 1]);
});

test('what a page holds all of is told of the range of its table, where it stands alone', () => {
  const pages = gathering(transfersStream());
  const page = (height: number) => {
    const one = pages.page(transfer(height));
    one.holdsFrom('height', height);
    one.holdsFrom('value', 5);
  };
  page(1);
  expect(pages.settle().holdsFrom).toBe(1);
  page(2);
  page(3);
  expect(pages.settle().holdsFrom).toBeUndefined();
});

test('a page that fails while it is read leaves nothing behind', () => {
  const pages = gathering(transfersStream());
  pages.page(transfer(1));
  const broken = RawValue.of(['{"height":2,"txHash":"0x02","value":"1"} {', '{"height":}'])[1];
  const spoiled = () => pages.page(transfer(2), { height: 3 }, broken);
  expect(spoiled).toThrow(/valid JSON/);
  expect(columnOf(pages, 'height')).toEqual([1]);
  expect(pages.into).toMatchObject({ quarantined: [], marks: [[0, 0]] });
});

test('paging goes by integers and times, and says so of a column that is text', () => {
  const page = gathering(transfersStream()).page({ ...transfer(5), note: '2026-01-02' });
  expect([...page.numbers('value')]).toEqual([10]);
  const said = 'paging goes by numbers and times, and note of raw.data_transfers is VARCHAR: declare it by int64(…)';
  for (const look of [() => page.numbers('note'), () => page.newest('note'), () => page.within('note', 0)])
    expect(look).toThrow(said);
  expect(page.kept).toBe(1);
});

test('what was not read yet cannot be looked at', () => {
  expect(() => new OpenPage(transfersStream().table, { body: {} }).length).toThrow(/not read yet/);
});

test.each(ways)('the newest row is one that could be read, whatever the others say: %s', (_, given) => {
  const pages = gathering(transfersStream());
  const bad = { ...transfer(9_999_999_999), value: 'much' };
  const page = pages.page(...[transfer(5), bad, transfer(7), transfer(6)].map(given));
  expect([page.newest('height'), page.newest('height', undefined, 7), page.newest('height', undefined, 5)]).toEqual([
    7,
    6,
    undefined,
  ]);
  expect(page.newestKept('height')).toBe(7);
  page.within('height', 0, 7);
  expect([page.newest('height'), page.newestKept('height')]).toEqual([7, 6]);
  expect(pages.page(given(bad)).newest('height')).toBeUndefined();
  expect(pages.page().newest('height')).toBeUndefined();
});
