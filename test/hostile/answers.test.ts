import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { bounds } from '../../src/core/json/bounds.ts';
import { adoptMembers } from '../../src/load/adopt/adoptMembers.ts';
import { json } from '../extract/localServer.ts';
import { startNodeHarness } from '../pipelines/node/nodeHarness.ts';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { attacked } from './attacked.ts';
import { list } from './hostileAnswers.ts';
import { transaction, transactionWith } from './transaction.ts';

const latest = { 'data/latest_transactions': { chainIds: ['43112'], from: 0 } };
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Serves these transactions as the only page of the list. */
async function listed(...transactions: string[]) {
  const page = { text: `{"transactions":[${transactions.join(',')}]}` };
  const attack = await attacked((response) => json(response, 200, page.text));
  const rows = <R extends object = Record<string, unknown>>(columns: string) =>
    attack.warehouse.query<R>(`SELECT ${columns} FROM raw.data_latest_transactions ORDER BY block_number`);
  const quarantine = () =>
    attack.warehouse.query<{ record: string; reason: string }>(
      'SELECT record, reason FROM firn.quarantine ORDER BY id',
    );
  return { ...attack, page, rows, quarantine };
}

const numbers = (rows: readonly Record<string, unknown>[]) => rows.map(({ n }) => Number(n));

describe('a record that is wrong goes to quarantine alone and whole', () => {
  const wrong: readonly (readonly [what: string, record: (n: number) => string, reason: RegExp])[] = [
    ['a member that nobody knows', (n) => transaction(n, `,"a":{"b":${deep}}`), /^a: nested too deep/],
    ['the place of a text', (n) => transactionWith(n, 'gasPrice', deep), /^gasPrice: expected /],
    ['the place of an object', (n) => transactionWith(n, 'from', deep), /^from: .*expected object/],
    ['an object', (n) => transactionWith(n, 'from', `{"address":"0x01","x":${deep}}`), /^from: nested too deep/],
    ['objects', (n) => transaction(n, `,"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), /nested too deep/],
    ['1e400', (n) => transactionWith(n, 'gasPrice', '1e400'), /^gasPrice: .* got 1e400/],
    ['-1e400', (n) => transactionWith(n, 'blockTimestamp', '-1e400'), /got -1e400/],
    ['5,000 digits', (n) => transactionWith(n, 'gasPrice', '9'.repeat(5_000)), /^gasPrice: expected an integer/],
    ['1.10', (n) => transactionWith(n, 'gasPrice', '1.10'), /^gasPrice: .* got 1.10/],
    ['NUL in hex', (n) => transactionWith(n, 'blockHash', '"0x\\u0000"'), /^blockHash: expected hex text/],
    ['no primitive', (n) => transactionWith(n, 'gasUsed', '{"valueOf":null,"toString":1}'), /^gasUsed: expected/],
    ['10,000 items', (n) => transactionWith(n, 'value', list('{}', 10_000)), /^value: expected/],
    ['null', () => 'null', /^record: /],
    ['a word', () => '"word"', /^record: /],
  ];

  test('nesting of 10,000, numbers that nothing holds, odd text', async () => {
    const records = wrong.map(([, record], i) => record(i + 2));
    const { sync, rows, quarantine, page } = await listed(transaction(1), ...records, transaction(99));
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 2, quarantined: wrong.length }]);
    expect(numbers(await rows('block_number AS n'))).toEqual([1, 99]);
    const entries = await quarantine();
    for (const [i, [what, , reason]] of wrong.entries()) {
      expect(entries[i]?.record, what).toBe(records[i]);
      expect(entries[i]?.reason, what).toMatch(reason);
    }
    // They come again and again, and never stop the list.
    page.text = `{"transactions":[${[transaction(100), ...records, transaction(99)].join(',')}]}`;
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1 }]);
    expect(await quarantine()).toHaveLength(wrong.length);
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
    expect(changes.find(({ member }) => member === '…')?.example).toContain('19900 more members');
  });
});

describe('what anybody writes of a token', () => {
  const streams = {
    'data/address_transactions': { chainIds: ['43112'], addresses: [`0x${'11'.repeat(20)}`], from: 0 },
  };
  const of = (n: number, metadata: string) => {
    const token = `{"address":"0x03","tokenId":"1","metadata":${metadata}}`;
    const transfer = `{"from":{"address":"0x01"},"to":{"address":"0x02"},"logIndex":1,"value":"1","erc1155Token":${token}}`;
    return `{"nativeTransaction":${transaction(n)},"erc1155Transfers":[${transfer}]}`;
  };

  test('keeps no transaction back', async () => {
    const odd = [
      '{"decimals":1e30}',
      `{"decimals":-${'9'.repeat(5_000)}}`,
      '{"decimals":"abc"}',
      '{"decimals":1.50,"name":"kept"}',
      '{"metadataLastUpdatedTimestamp":1770000000000}',
      '{"attributes":[{"value":1.10}],"symbol":{}}',
      '"nothing"',
      '1.10',
      '[]',
    ];
    const nested = `{"properties":${deep}}`;
    const page = `{"transactions":[${[...odd, nested, '{"decimals":-7}'].map((one, i) => of(i + 1, one))}]}`;
    const { sync, warehouse } = await attacked((response) => json(response, 200, page));
    expect(await sync(streams)).toMatchObject([{ outcome: 'done', quarantined: 0 }]);
    const rows = await warehouse.query<{ _extra: string | null; name: string | null; decimals: number | null }>(
      `SELECT _extra, erc1155_token_metadata_name AS name, erc1155_token_metadata_decimals AS decimals
       FROM raw.data_address_transactions_erc1155_transfers ORDER BY block_number`,
    );
    const kept = (metadata: string) => `{"erc1155Token":{"metadata":${metadata}}}`;
    expect(rows.map(({ _extra }) => _extra)).toEqual([
      ...odd.map((one) => kept(one.replace(',"name":"kept"', ''))),
      kept(`{"properties":"${deep}"}`),
      null,
    ]);
    expect(rows[3]?.name).toBe('kept');
    expect(rows.map(({ decimals }) => decimals)).toEqual([...odd.map(() => null), null, -7]);
    const noted = () => warehouse.query('SELECT member, example FROM firn.schema_change ORDER BY member');
    const before = await noted();
    expect(before[1]).toEqual({
      member: 'erc1155Transfers[].erc1155Token.metadata.attributes (not taken)',
      example: '[{"value":1.10}]',
    });
    // What a column does not take is no member that a version knows by now.
    await adoptMembers(warehouse, catalogue, { onMember: (_, member) => expect.fail(member) });
    expect(await noted()).toEqual(before);
  });
});

test('10,000 records that cannot be read take a few statements', { tags: 'long' }, async () => {
  const records = Array.from({ length: 10_000 }, (_, i) => `{"n":${i}}`);
  const { sync, quarantine, warehouse } = await listed(transaction(1), ...records);
  const statements = vi.spyOn(warehouse, 'run');
  expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1, quarantined: 10_000 }]);
  expect(statements.mock.calls.length).toBeLessThan(50);
  expect((await quarantine()).map(({ record }) => record)).toEqual(records);
});

describe('an answer beyond a bound is a broken contract, and the checkpoint stays', () => {
  const { values, items } = bounds.page;
  const long = 'x'.repeat(600);
  const wrong: readonly (readonly [what: string, page: string, said: RegExp])[] = [
    ['values', `{"transactions":${list(list('[]', items / 2), (2 * values) / items + 1)}}`, /more than \d+ values/],
    ['records', `{"transactions":${list('0', items + 1)}}`, /a list or an object with more than \d+ items/],
    ['members', `{"transactions":[{${list('"a":0', items + 1).slice(1, -1)}}]}`, /with more than \d+ items/],
    ['lists that never end', '['.repeat(values + 1), /more than \d+ values/],
    ['nested and not valid', `{"transactions":[${'['.repeat(500)}${'}'.repeat(500)}]}`, /not JSON/],
    ['a control character in a long text', `{"transactions":[{"a":"${long}\n","b":"${long}"}]}`, /not JSON/],
    ['a control character in a short text', '{"transactions":[{"a":"\u0000"}]}', /not JSON/],
    ['no list but nested', `{"transactions":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`, /no list "transactions"/],
    ['text beyond ASCII', `{"transactions":["${'é'.repeat(bounds.page.bytes / 4 + 1)}"]}`, /more than 32 MiB unpacked/],
  ];

  test('too many values, records and members, nesting in place of a list, and what is no JSON', async () => {
    const { sync, page, warehouse, rows, requests } = await listed(transaction(1));
    await sync(latest);
    const checkpoints = () => warehouse.query('SELECT "position" FROM firn.checkpoint');
    const before = await checkpoints();
    for (const [what, text, said] of wrong) {
      page.text = text;
      const asked = requests().length;
      const [result] = await sync(latest);
      expect(result, what).toMatchObject({ outcome: 'failed', code: 'contract' });
      expect(result?.message, what).toMatch(said);
      // The client asks once more; where only a record shows what is wrong, it was read once before.
      expect([2, 3], what).toContain(requests().length - asked);
    }
    expect(await checkpoints()).toEqual(before);
    page.text = `{"transactions":[${transaction(2)},${transaction(1)}]}`;
    expect(await sync(latest)).toMatchObject([{ outcome: 'done', rows: 1 }]);
    expect(numbers(await rows('block_number AS n'))).toEqual([1, 2]);
  });
});

test('a range that is larger than is taken is asked for by halves', { tags: 'long' }, async () => {
  const payload = Buffer.alloc(30_000, 7);
  const checksum = createHash('sha256').update(payload).digest().subarray(-4);
  const bytes = `0x${Buffer.concat([payload, checksum]).toString('hex')}`;
  const container = (index: number) =>
    `{"id":"${index}","bytes":"${bytes}","timestamp":"2026-01-20T00:00:00Z","encoding":"hex","index":"${index}"}`;
  const asked: number[] = [];
  const { sync } = await attacked((response, _, { body }) => {
    const { id, method, params } = JSON.parse(body);
    const { startIndex = 0, numToFetch = 0 } = params;
    if (method === 'index.getContainerRange') asked.push(numToFetch);
    const some = () => Array.from({ length: numToFetch }, (_, i) => container(startIndex + i)).join(',');
    const result = method === 'index.getContainerRange' ? `{"containers":[${some()}]}` : container(1023);
    json(response, 200, `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  });
  const streams = { 'node/containers': { indexes: ['X/tx'], decode: false } };
  expect(await sync(streams)).toMatchObject([{ outcome: 'done', rows: 1024 }]);
  expect(asked).toEqual([1024, 512, 512]);
});

test('calls that nest as deep as the EVM lets them are read, and what stands in the place of a call is quarantined', {
  tags: 'long',
}, async () => {
  const harness = await startNodeHarness(catalogue, { head: '3%' });
  let calls = `[${'{"type":"CALL","from":"0x01","calls":['.repeat(1024)}${']}'.repeat(1024)}]`;
  const proxy = await startProxy(harness.devnet.url, async ({ method, forward }) => {
    if (method !== 'debug_traceBlockByNumber') return undefined;
    const traced = (await forward()) as { result: object }[];
    return {
      result: traced.map(({ result, ...item }) => ({ ...item, result: { ...result, calls: JSON.parse(calls) } })),
    };
  });
  try {
    const read = (from: number) =>
      harness.sync({ 'node/evm_blocks': { blockchainIds: ['C'], from, to: from } }, proxy.url);
    const { number = 0 } = harness.devnet.ledger.c.blocks.find(({ receipts }) => receipts !== '[]') ?? {};
    expect(await read(number)).toMatchObject([{ outcome: 'done', quarantined: 0 }]);
    expect(await harness.value('SELECT max(depth) FROM raw.node_evm_traces')).toBe(1024);
    const nested = `[{"type":"CALL","from":"0x01","x":${'['.repeat(2_000)}${']'.repeat(2_000)}}]`;
    for (calls of [nested, '7', '[null,7,[]]', '{"a":1}', `${'['.repeat(3_000)}${']'.repeat(3_000)}`]) {
      await harness.warehouse.run('DELETE FROM firn.checkpoint');
      expect(await read(number), calls.slice(0, 20)).toMatchObject([{ outcome: 'done' }]);
    }
  } finally {
    await harness.close();
  }
});
