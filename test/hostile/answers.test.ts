import { describe, expect, test, vi } from 'vitest';
import { bounds } from '../../src/core/bounds.ts';
import { json } from '../extract/localServer.ts';
import { attacked, transaction, transactionWith } from './attacked.ts';

const latest = { 'data/latest_transactions': { chainIds: ['43112'], from: 0 } };
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Serves these transactions as the only page of the list. */
async function listed(...transactions: string[]) {
  const page = { text: `{"transactions":[${transactions.join(',')}]}` };
  const attack = await attacked((response) => json(response, 200, page.text));
  const rows = <R extends Record<string, unknown>>(columns: string) =>
    attack.warehouse.query<R>(`SELECT ${columns} FROM raw.data_latest_transactions ORDER BY block_number`);
  const quarantine = () =>
    attack.warehouse.query<{ record: string; reason: string }>(
      'SELECT record, reason FROM firn.quarantine ORDER BY id',
    );
  return { ...attack, page, rows, quarantine };
}

const numbers = (rows: readonly Record<string, unknown>[]) => rows.map(({ n }) => Number(n));

describe('a record that is wrong goes to quarantine alone and whole', () => {
  test.each<[name: string, record: string, reason: RegExp]>([
    ['nesting of 10,000 in a member that nobody knows', transaction(2, `,"a":{"b":${deep}}`), /a: nested too deep/],
    ['nesting of 10,000 in the place of a text', transactionWith(2, 'gasPrice', deep), /gasPrice: expected /],
    ['nesting of 10,000 in the place of an object', transactionWith(2, 'from', deep), /expected an? object|from/],
    [
      'nesting of 10,000 in an object',
      transactionWith(2, 'from', `{"address":"0x01","x":${deep}}`),
      /from: nested too deep/,
    ],
    [
      '10,000 objects in each other',
      transaction(2, `,"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
      /nested too deep/,
    ],
    ['1e400', transactionWith(2, 'gasPrice', '1e400'), /gasPrice: .* got 1e400/],
    ['-1e400', transactionWith(2, 'blockTimestamp', '-1e400'), /got -1e400/],
    ['a number of 5,000 digits', transactionWith(2, 'gasPrice', '9'.repeat(5_000)), /gasPrice: expected an integer/],
    ['digits that a number does not hold, beside what is wrong', transactionWith(2, 'gasPrice', '1.10'), /gasPrice: /],
    ['NUL in a hash', transactionWith(2, 'txHash', '"0x\\u0000"'), /txHash: expected hex text/],
    [
      'an object that is no number',
      transactionWith(2, 'blockNumber', '{"valueOf":null,"toString":1}'),
      /blockNumber: expected/,
    ],
    ['a list of 10,000 wrong items', transactionWith(2, 'value', `[0${',{}'.repeat(10_000)}]`), /value: expected/],
    ['null', 'null', /record: /],
    ['a word', '"word"', /record: /],
  ])('%s', async (_, record, reason) => {
    const { sync, rows, quarantine, page } = await listed(transaction(1), record, transaction(3));
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 2, quarantined: 1 }]);
    expect(numbers(await rows('block_number AS n'))).toEqual([1, 3]);
    const [entry, ...others] = await quarantine();
    expect(others).toEqual([]);
    expect(entry?.reason).toMatch(reason);
    expect(entry?.record).toBe(record);
    // It comes again and again, and never stops the list.
    page.text = `{"transactions":[${transaction(4)},${record},${transaction(3)}]}`;
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1 }]);
    expect(await quarantine()).toHaveLength(1);
  });

  test('in a child record too', async () => {
    const transfer = `{"from":{"address":"0x01"},"to":{"address":"0x02"},"logIndex":1,"value":"1","erc20Token":{"address":"0x03"}}`;
    const of = (n: number, transfers: string) =>
      `{"nativeTransaction":${transaction(n)},"erc20Transfers":[${transfers}]}`;
    const page = `{"transactions":[${of(1, transfer)},${of(2, transfer.replace('"1"', `"1","x":${deep}`))},${of(3, transfer)}]}`;
    const { sync, warehouse } = await attacked((response) => json(response, 200, page));
    const streams = {
      'data/address_transactions': { chainIds: ['43112'], addresses: [`0x${'11'.repeat(20)}`], from: 0 },
    };
    expect(await sync(streams)).toMatchObject([{ outcome: 'done', quarantined: 1 }]);
    const tables = ['address_transactions', 'address_transactions_erc20_transfers'];
    for (const table of tables)
      expect(await warehouse.query(`SELECT count(*) AS n FROM raw.data_${table}`), table).toEqual([{ n: 2n }]);
  });
});

describe('members that nobody knows', () => {
  const odd = `,"__proto__":{"a":1},"constructor":1e400,"toString":"x","valueOf":null,"hasOwnProperty":1.10,"a\\u0000b":"\\u0000"`;

  test('are kept under every name, digit by digit', async () => {
    const { sync, rows, quarantine, warehouse } = await listed(transaction(1, odd));
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1, quarantined: 0 }]);
    expect(await rows('_extra')).toEqual([{ _extra: `{${odd.slice(1)}}` }]);
    expect(await quarantine()).toEqual([]);
    const changes = await warehouse.query('SELECT member, example FROM firn.schema_change ORDER BY member');
    expect(changes).toEqual([
      { member: '__proto__', example: '{"a":1}' },
      { member: 'a\0b', example: '"\\u0000"' },
      { member: 'constructor', example: '1e400' },
      { member: 'hasOwnProperty', example: '1.10' },
      { member: 'toString', example: '"x"' },
      { member: 'valueOf', example: 'null' },
    ]);
  });

  test('are counted and cut where there are 20,000, and all of them kept', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `,"m${i}":${i}`).join('');
    const { sync, rows, warehouse } = await listed(transaction(1, many), transaction(2, many));
    const statements = vi.spyOn(warehouse, 'run');
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 2, quarantined: 0 }]);
    expect(statements.mock.calls.length).toBeLessThan(50);
    const [first] = await rows<{ _extra: string }>('_extra');
    expect(first?._extra).toBe(`{${many.slice(1)}}`);
    const changes = await warehouse.query<{ member: string; example: string }>('FROM firn.schema_change');
    expect(changes).toHaveLength(101);
    expect(changes.find(({ member }) => member === '…')?.example).toContain('19900 members more');
  });
});

test('20,000 records that cannot be read take a few statements', async () => {
  const records = Array.from({ length: 20_000 }, (_, i) => `{"n":${i}}`);
  const { sync, quarantine, warehouse } = await listed(transaction(1), ...records);
  const statements = vi.spyOn(warehouse, 'run');
  expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1, quarantined: 20_000 }]);
  expect(statements.mock.calls.length).toBeLessThan(50);
  expect((await quarantine()).map(({ record }) => record)).toEqual(records);
});

describe('an answer beyond a bound is a broken contract, and the checkpoint stays', () => {
  const { values, items } = bounds.page;
  const long = 'x'.repeat(600);
  test.each<[name: string, page: string, said: RegExp]>([
    [
      'too many values',
      `{"transactions":[${'[[]],'.repeat(values / 20)}0],"b":${`[${'[],'.repeat(values / 20)}0],`.repeat(10)}}`,
      /more than \d+ values/,
    ],
    ['too many records', `{"transactions":[0${',0'.repeat(items)}]}`, /a list or an object with more than \d+ items/],
    ['too many members', `{"transactions":[{"a":0${',"a":0'.repeat(items)}}]}`, /more than \d+ items/],
    ['lists that never end', '['.repeat(values + 1), /more than \d+ values/],
    ['deeper than is parsed, and not valid', `{"transactions":[${'['.repeat(500)}${'}'.repeat(500)}]}`, /not JSON/],
    ['a control character in a long text', `{"transactions":[{"a":"${long}\n","b":"${long}"}]}`, /not JSON/],
    ['a control character in a short text', '{"transactions":[{"a":"\u0000"}]}', /not JSON/],
    [
      'a list nested so deep that it is none',
      `{"transactions":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
      /no list "transactions"/,
    ],
  ])('%s', async (_, wrong, said) => {
    const { sync, page, warehouse, rows, requests } = await listed(transaction(1));
    await sync(latest);
    const checkpoints = () => warehouse.query('SELECT "position" FROM firn.checkpoint');
    const before = await checkpoints();
    const asked = requests().length;
    page.text = wrong;
    const [result] = await sync(latest);
    expect(result).toMatchObject({ outcome: 'failed', code: 'contract' });
    expect(result?.message).toMatch(said);
    expect(requests().length - asked).toBe(2);
    expect(await checkpoints()).toEqual(before);
    page.text = `{"transactions":[${transaction(2)},${transaction(1)}]}`;
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1 }]);
    expect(numbers(await rows('block_number AS n'))).toEqual([1, 2]);
  });
});
