import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawElements, rawMembers } from '../../src/codec/rawMembers.ts';

describe('rawMembers', () => {
  test('keeps integers above 2^53 and the order and text of members', () => {
    const text = ' {"weight":18446744073709551615, "name" : "a\\"}b", "list":[1,{"x":"]"}],"none":null}\n';
    expect([...rawMembers(text)]).toEqual([
      ['weight', '18446744073709551615'],
      ['name', '"a\\"}b"'],
      ['list', '[1,{"x":"]"}]'],
      ['none', 'null'],
    ]);
  });

  test('finds the same members as a JSON parser', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const found = [...rawMembers(text)].map(([name, raw]) => [name, JSON.parse(raw)]);
        expect(found).toEqual(Object.entries(JSON.parse(text)));
      }),
    );
  });

  test.each([
    ['', 'expected an object at position 0'],
    ['[1]', 'expected an object at position 0'],
    ['{"a":1', 'expected "," or "}" at position 6'],
    ['{"a" 1}', 'expected ":" at position 5'],
    ['{a:1}', 'expected a member name at position 1'],
    ['{"a":}', 'expected a value at position 5'],
    ['{"a":[1}', 'unbalanced "}" at position 7'],
    ['{"a":"b', 'the string that opens at position 5 is not closed'],
    ['{"a":{"b":1}', 'expected "," or "}" at position 12'],
    ['{"a":[1', 'the value that opens at position 5 is not closed'],
    ['{"a":tru}', 'expected a value at position 5'],
    ['{} x', 'unexpected text at position 3'],
  ])('says where %j stops being an object', (text, message) => {
    expect(() => rawMembers(text)).toThrow(message);
  });
});

describe('rawElements', () => {
  test('finds the same elements as a JSON parser', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (array) => {
        const text = JSON.stringify(array);
        expect(rawElements(text).map((raw) => JSON.parse(raw))).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['{}', 'expected an array at position 0'],
    ['[1 2]', 'expected "," or "]" at position 3'],
    ['[1,', 'expected a value at position 3'],
  ])('says where %j stops being an array', (text, message) => {
    expect(() => rawElements(text)).toThrow(message);
  });
});
