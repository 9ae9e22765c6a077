import { describe, expect, test } from 'vitest';
import { parseAround } from '../../../src/core/json/parseAround.ts';
import { type Records, recordsIn, stepsTo } from '../../../src/core/stream/records.ts';

const partition = { values: { network: 'fuji', blockchain: 'p-chain' } };

/** The records of an answer, read as it comes off the wire, as text. */
const textsIn = (records: Records, body: unknown, about?: string | number): string[] =>
  Array.from(
    recordsIn(records, parseAround(Buffer.from(JSON.stringify(body)), stepsTo(records), {}), partition, about),
    (record) => record.text(),
  );

describe('recordsIn', () => {
  const says = { network: 'info.network', blockchain: 'info.chain' };
  test.each<[string, Records, unknown, string | number | undefined, string[]]>([
    ['the items of a list', 'result.list', { result: { list: [{ a: 1 }, 2] }, more: 1 }, undefined, ['{"a":1}', '2']],
    ['the items of a list that is the answer', { each: 'item' }, [{ a: 1 }], undefined, ['{"a":1}']],
    ['an answer', {}, { a: [1] }, undefined, ['{"a":[1]}']],
    ['what stands in it', { at: 'tx', about: 'id' }, { tx: { a: 1 } }, 'k', ['{"a":1,"id":"k"}']],
    ['what says itself what it is about', { at: 'tx', about: 'id' }, { tx: { id: 1 } }, 'k', ['{"id":1}']],
    ['nothing where the request is about nothing', { about: 'id' }, { a: 1 }, undefined, []],
    ['items as members', { at: 'l', each: 'item', take: { hex: '' } }, { l: ['x'] }, undefined, ['{"hex":"x"}']],
    [
      'members by name',
      { each: 'member', name: 'n' },
      { a: { b: 1 }, c: null },
      undefined,
      ['{"b":1,"n":"a"}', '{"n":"c"}'],
    ],
    [
      'members and parts of them',
      { each: 'member', name: 'n', take: { all: '', time: 'at.time', no: 'x' } },
      { a: { at: { time: 3 } } },
      undefined,
      ['{"all":{"at":{"time":3}},"time":3,"n":"a"}'],
    ],
    [
      'members of members, and members that are no objects',
      { each: 'member of member', but: ['no'], name: 'n', take: { v: '' }, also: { k: 'x' } },
      { no: { a: 1 }, yes: { b: true }, c: 5, d: null },
      undefined,
      ['{"v":true,"k":"x","n":"b"}', '{"v":5,"k":"x","n":"c"}'],
    ],
    [
      'members with what stands beside them under the same name, or what is said in its place',
      [
        {
          at: 'm',
          each: 'member',
          mayMiss: true,
          name: 'n',
          onto: 'answer',
          take: { v: '' },
          also: { u: 0 },
          beside: { u: 'us.*' },
        },
        { without: 'm', also: { n: 'all' } },
      ],
      { m: { a: '1', b: '2' }, us: { b: '9' } },
      undefined,
      [
        '{"m":{"a":"1","b":"2"},"us":{"b":"9"},"v":"1","u":0,"n":"a"}',
        '{"m":{"a":"1","b":"2"},"us":{"b":"9"},"v":"2","u":"9","n":"b"}',
      ],
    ],
    [
      'one place in the absence of another',
      [
        { at: 'm', mayMiss: true },
        { without: 'm', also: { n: 'all' } },
      ],
      { v: 1 },
      undefined,
      ['{"v":1,"n":"all"}'],
    ],
    [
      'records of which the answer says what was asked for',
      { at: 'l', each: 'item', says },
      { l: [{ a: 1 }], info: { network: 'testnet', chain: 'P-Chain' } },
      undefined,
      ['{"a":1}'],
    ],
    [
      'records of another chain',
      { at: 'l', each: 'item', says },
      { l: [{ a: 1 }, 2], info: { chain: 'x-chain' } },
      undefined,
      ['{"a":1,"blockchain":"x-chain"}', '2'],
    ],
    [
      'records of what is no chain at all',
      { at: 'l', each: 'item', says },
      { l: [{ a: 1 }], info: { chain: { toString: 1, valueOf: null } } },
      undefined,
      ['{"a":1,"blockchain":{"toString":1,"valueOf":null}}'],
    ],
  ])('gives %s', (_, records, body, about, texts) => {
    expect(textsIn(records, body, about)).toEqual(texts);
    // An answer that was parsed whole gives the same.
    expect(Array.from(recordsIn(records, body, partition, about), (record) => record.text())).toEqual(texts);
  });

  test.each<[Records, unknown, RegExp]>([
    ['list', { list: null }, /no list "list"/],
    ['a.list', { a: 7 }, /no object "a"/],
    [{ each: 'item' }, {}, /no list;/],
    [{}, [], /no object;/],
    [{}, null, /no object;/],
    [{ at: 'tx' }, { tx: 'x' }, /no object "tx"/],
    [{ at: 'utxos', each: 'item', take: { utxo: '' } }, { utxos: {} }, /no list "utxos"/],
    [{ each: 'member', take: { a: 'b' } }, { x: 7 }, /no object "x"/],
  ])('takes %j of %j for no answer', (records, body, message) => {
    expect(() => textsIn(records, body)).toThrow(message);
    expect(() => recordsIn(records, body, partition)).toThrow(message);
  });
});
