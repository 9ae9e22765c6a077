import { describe, expect, test } from 'vitest';
import {
  listOf,
  objectOf,
  quantityOf,
  rawOf,
  textIn,
  textOf,
  wholeNumberOf,
  wideQuantityOf,
} from '../../../src/core/json/answerParts.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { numberIn } from '../../../src/core/json/numberIn.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { RawList } from '../../../src/core/json/rawList.ts';
import type { RawValue } from '../../../src/core/json/rawValue.ts';

const contract = expect.objectContaining({ code: 'contract', retryable: true });

describe('listOf', () => {
  test('gives the list itself, also an empty one', () => {
    const list = [1];
    expect(listOf({ items: list }, 'items')).toBe(list);
    expect(listOf({ items: [] }, 'items')).toEqual([]);
    const text = Buffer.from('[{"a":1},2]');
    const unread = new RawList(text, 0, text.length, bounds.page, () => {});
    expect(listOf({ items: unread }, 'items').map((item) => (item as RawValue).text())).toEqual(['{"a":1}', '2']);
  });

  test('a list that was not parsed has the length of one that was', () => {
    const lengths = ['[]', '[ ]', '[{"a":[1,2]},"]"]'].map((json) => {
      const text = Buffer.from(json);
      return new RawList(text, 0, text.length, bounds.page, () => {}).length;
    });
    expect(lengths).toEqual([0, 0, 2]);
  });

  test.each<[unknown, string]>([
    [{ message: 'maintenance' }, 'it is an object with ["message"] and says "maintenance"'],
    [{}, 'it is an object with nothing in it'],
    [{ items: null }, 'it is an object with ["items (null)"]'],
    [{ items: {} }, 'it is an object with ["items"]'],
    [[], 'it is a list of 0'],
    [7, 'it is "7"'],
    ['maintenance', 'it is "maintenance"'],
    [null, 'it is "null"'],
    [undefined, 'it is nothing'],
  ])('refuses %j and says what it is', (body, shape) => {
    expect(() => listOf(body, 'items')).toThrow(contract);
    expect(() => listOf(body, 'items')).toThrow(`the answer holds no list "items"; ${shape}.`);
  });

  test('says little of what is long', () => {
    const body = {
      message: 'x'.repeat(10_000),
      ...Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`m${i}`, i])),
    };
    expect(() => listOf(body, 'items')).toThrow(/^.{1,400}$/);
  });
});

test.each<[unknown, number | undefined]>([
  [0, 0],
  ['12', 12],
  ['0x1f', 31],
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  [-1, undefined],
  [1.5, undefined],
  ['soon', undefined],
  ['1e3', undefined],
  [' 5', undefined],
  [{}, undefined],
  ['99999999999999999999', undefined],
])('a height of %j is %j', (value, height) => {
  if (height === undefined) expect(() => wholeNumberOf({ height: value }, 'height')).toThrow(contract);
  else expect(wholeNumberOf({ height: value }, 'height')).toBe(height);
});

const odd = { toString: 1, valueOf: null };

test.each<[unknown, number, string]>([
  [7, 7, '7'],
  [18446744073709551615n, 18446744073709551615, '18446744073709551615'],
  ['0x1f', 31, '0x1f'],
  ['', Number.NaN, ''],
  [' ', Number.NaN, ' '],
  ['x', Number.NaN, 'x'],
  [parseLossless('1e400'), Number.NaN, '1e400'],
  [parseLossless('1.10'), 1.1, '1.10'],
  ['1e400', Number.NaN, '1e400'],
  [null, Number.NaN, 'null'],
  [undefined, Number.NaN, 'null'],
  [true, Number.NaN, 'true'],
  [[7], Number.NaN, '[7]'],
  [odd, Number.NaN, '{"toString":1,"valueOf":null}'],
])('a raw value is a number and a text, and throws nothing (%#)', (value, number, text) => {
  expect(numberIn(value)).toBe(number);
  expect(textIn(value)).toBe(text);
  expect(rawOf(value)).toEqual(typeof value === 'object' && value !== null ? value : {});
});

test.each(['43114', 43114, '0x', '0xg', '', null, {}, odd])('%j is no quantity', (value) => {
  expect(() => quantityOf(value)).toThrow(contract);
});

test('an id of a chain has 256 bits at most', () => {
  expect(wideQuantityOf(`0x${'f'.repeat(64)}`)).toBe(2n ** 256n - 1n);
  expect(() => wideQuantityOf(`0x${'f'.repeat(65)}`)).toThrow(contract);
});

test('an id is text that is not empty, an object no list', () => {
  expect(textOf({ id: 'x' }, 'id')).toBe('x');
  expect(() => textOf({ id: '' }, 'id')).toThrow(contract);
  expect(() => textOf({ id: 5 }, 'id')).toThrow(contract);
  expect(objectOf({ a: {} }, 'a')).toEqual({});
  expect(() => objectOf([])).toThrow(contract);
});
