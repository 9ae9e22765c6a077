import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bounds } from '../../../src/core/bounds.ts';
import { parseLossless } from '../../../src/core/parseLossless.ts';
import { parseAround } from '../../../src/core/reader/parseAround.ts';
import { RawValue } from '../../../src/core/reader/rawValue.ts';

/** A body with what was left unparsed parsed too. */
function whole(value: unknown): unknown {
  if (value instanceof RawValue) return value.parse();
  if (Array.isArray(value)) return value.map(whole);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, whole(inside)]));
}

const steps = [['records', '[]'], ['[]', 'result'], ['result', 'list', '[]'], []];
const json = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
    object: fc.dictionary(fc.constantFrom('records', 'result', 'list', 'nextPageToken'), tie('value')),
  }))
  .value.chain((value) => fc.nat(2).map((spaces) => ` ${JSON.stringify(value, null, spaces)}\n`));

describe('parseAround', () => {
  test('gives what parsing the whole gives, records unparsed', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(...steps), (text, path) => {
        expect(whole(parseAround(Buffer.from(text), path, {}))).toEqual(parseLossless(text));
      }),
    );
  });

  test('refuses, or leaves to the records, what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        fc.constantFrom('', '}', ',', '"', 'x'),
        fc.constantFrom(...steps),
        (text, at, by, path) => {
          const place = at % text.length;
          const broken = text.slice(0, place) + by + text.slice(place + 1);
          const outcome = (parse: () => unknown) => {
            try {
              return parse();
            } catch {
              return 'refused';
            }
          };
          expect(outcome(() => whole(parseAround(Buffer.from(broken), path, {})))).toEqual(
            outcome(() => parseLossless(broken)),
          );
        },
      ),
    );
  });

  test('leaves records where they are, and parses the rest', () => {
    const body = parseAround(
      Buffer.from('{"records":[{"a":1},7],"nextPageToken":"t","n":1}'),
      ['records', '[]'],
      {},
    ) as {
      records: RawValue[];
    };
    expect(body.records.map((record) => record.text())).toEqual(['{"a":1}', '7']);
    expect(body).toMatchObject({ nextPageToken: 't', n: 1 });
  });

  test('keeps the bounds on values, items and depth', () => {
    const parse = (text: string, most: Partial<typeof bounds.page>) =>
      parseAround(Buffer.from(text), ['records', '[]'], { bounds: { ...bounds.page, ...most } });
    expect(() => parse('{"records":[{"a":[1,2,3]}]}', { values: 3 })).toThrow(/more than 3 values/);
    expect(() => parse('{"records":[1,2,3]}', { items: 2 })).toThrow(/more than 2 items/);
    expect(() => parse('{"records":[[1,2,3]]}', { items: 2 })).toThrow(/more than 2 items/);
    expect(parse('{"records":[[[[1]]]]}', { depth: 2 })).not.toEqual(parse('{"records":[[[[1]]]]}', {}));
  });
});
