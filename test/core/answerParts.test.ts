import { describe, expect, test } from 'vitest';
import { listOf, objectOf, textOf, wholeNumberOf } from '../../src/core/answerParts.ts';

const contract = expect.objectContaining({ code: 'contract', retryable: true });

describe('listOf', () => {
  test('gives the list itself, also an empty one', () => {
    const list = [1];
    expect(listOf({ items: list }, 'items')).toBe(list);
    expect(listOf({ items: [] }, 'items')).toEqual([]);
  });

  test.each<[unknown, string]>([
    [{ message: 'maintenance' }, 'it is an object with ["message"] and says "maintenance"'],
    [{}, 'it is an object with nothing in it'],
    [{ items: null }, 'it is an object with ["items"]'],
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
  [{}, undefined],
  ['99999999999999999999', undefined],
])('a height of %j is %j', (value, height) => {
  if (height === undefined) expect(() => wholeNumberOf({ height: value }, 'height')).toThrow(contract);
  else expect(wholeNumberOf({ height: value }, 'height')).toBe(height);
});

test('an id is text that is not empty, an object no list', () => {
  expect(textOf({ id: 'x' }, 'id')).toBe('x');
  expect(() => textOf({ id: '' }, 'id')).toThrow(contract);
  expect(() => textOf({ id: 5 }, 'id')).toThrow(contract);
  expect(objectOf({ a: {} }, 'a')).toEqual({});
  expect(() => objectOf([])).toThrow(contract);
});
