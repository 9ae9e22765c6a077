import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';

const raw = (text: string) => new RawValue(Buffer.from(`  ${text} ,`), 2);

describe('member', () => {
  test('finds what JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue()), fc.nat(2), (object, spaces) => {
        const value = raw(JSON.stringify(object, null, spaces));
        for (const [name, inside] of Object.entries(object)) {
          expect(value.mayHave(name)).toBe(true);
          expect(value.member(name)?.parse()).toEqual(parseLossless(JSON.stringify(inside)));
        }
        expect(value.member('abcd')).toBeUndefined();
      }),
    );
  });

  test.each([
    ['{"\\u0061":1}', '1'],
    ['{"b":"\\u0061","a":1,"c":"\\u0022a\\u0022"}', '1'],
    ['{"a\\u0062":1,"\\u0061a":2,"\\u006":3}', undefined],
  ])('is found however its name is written: %s', (text, wanted) => {
    expect(raw(text).member('a')?.text()).toBe(wanted);
    // Also where its end is known, and in a list.
    const [own] = RawValue.of([text]);
    expect(own?.member('a')?.text()).toBe(wanted);
    expect(raw(`[${text}]`).itemsWith(['a'])?.[0]?.members[0]?.text()).toBe(wanted);
  });

  test.each(['[1]', '7', '{"a" 1}', '{"b":1', '{', '"a"'])('is nothing where there is none: %s', (text) => {
    expect(raw(text).member('a')).toBeUndefined();
  });
});

test.each([
  ['{"n":7}', 7],
  ['{"n":"7"}', 7],
  ['{"n":"0x1f"}', 31],
  ['{"n":1.5}', 1.5],
  ['{"n":-3}', -3],
  ['{"n":1e3}', 1000],
  ['{"n":null}', Number.NaN],
  ['{"n":""}', Number.NaN],
  ['{"n":[]}', Number.NaN],
  ['{"n":true}', Number.NaN],
  ['{"n":"7 "}', 7],
  ['{"n":12345678901234567890}', 12345678901234567890],
  ['{}', Number.NaN],
])('number of %s', (text, wanted) => {
  expect(raw(text).number('n')).toBe(wanted);
});

describe('items', () => {
  test('are those of the list, with the members that are asked for', () => {
    const list = raw('[ {"a":1,"b":[2]} , 7,{}, "x" ]');
    expect(list.items()?.map((item) => item.text())).toEqual(['{"a":1,"b":[2]}', '7', '{}', '"x"']);
    const members = list.itemsWith(['b', 'c'])?.map((item) => item.members.map((member) => member?.text()));
    expect(members).toEqual([
      ['[2]', undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(raw('[]').items()).toEqual([]);
    expect(raw('[]').itemsWith(['a'])).toEqual([]);
  });

  test.each(['{}', '[1', '[1 2]', '[{"a":1]', '7'])('are none of %s', (text) => {
    expect(raw(text).items()).toBeUndefined();
    expect(raw(text).itemsWith(['a'])).toBeUndefined();
  });
});

test('members that stand elsewhere are part of the object, whatever it has itself', () => {
  const [one, two] = RawValue.of(['{"x":1}', '{"x":2}']) as [RawValue, RawValue];
  const also = { one, list: [one, two], count: 3, yes: true, none: null };
  expect(raw('{}').with(also).parse()).toEqual({
    one: { x: 1 },
    list: [{ x: 1 }, { x: 2 }],
    count: 3,
    yes: true,
    none: null,
  });
  expect(raw('{ "count" : 1 }').with(also).parse()).toMatchObject({ count: 3 });
  expect(raw('{}').with(also).member('one')?.text()).toBe('{"x":1}');
});

test('what is no JSON is a broken contract', () => {
  expect(() => raw('{"a":nul}').parse()).toThrow(/no valid JSON/);
});

test('isText compares letters and digits', () => {
  expect(raw('"0xab"').isText('0xab')).toBe(true);
  expect(raw('"0xabc"').isText('0xab')).toBe(false);
  expect(raw('7').isText('7')).toBe(false);
});
