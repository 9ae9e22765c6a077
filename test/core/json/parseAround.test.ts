import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { parseAround } from '../../../src/core/json/parseAround.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { RawList } from '../../../src/core/json/rawList.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';

/** A body with what was left unparsed parsed too. */
function whole(value: unknown): unknown {
  if (value instanceof RawValue) return value.parse();
  if (value instanceof RawList) return Array.from(value, whole);
  if (Array.isArray(value)) return value.map(whole);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, whole(inside)]));
}

/** A list that ends elsewhere than that of the answer before is found out when it is read; the answer is then asked for again. */
function askedAgain(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return read();
  }
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
        const read = () => whole(parseAround(Buffer.from(text), path, {}));
        expect(askedAgain(read)).toEqual(parseLossless(text));
        // A list that is jumped over now, holds the same.
        expect(askedAgain(read)).toEqual(parseLossless(text));
      }),
    );
  });

  test('keeps a member called __proto__ a member', () => {
    const body = parseAround(Buffer.from('{"__proto__":{"a":1},"records":[{"b":2}]}'), ['records', '[]'], {});
    expect(Object.keys(body as object)).toEqual(['__proto__', 'records']);
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
          expect(outcome(() => askedAgain(() => whole(parseAround(Buffer.from(broken), path, {}))))).toEqual(
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

  describe('a list whose answers are known', () => {
    const parse = (text: string, place = 'rows') =>
      parseAround(Buffer.from(text), [place, '[]'], {}) as Readonly<Record<string, unknown>>;
    const known = (place: string) => parse(`{"${place}":[{"a":1}],"nextPageToken":"t"}`, place);

    test('is not walked through, and its records end with it', () => {
      known('jumped');
      const { jumped, nextPageToken } = parse(
        '{"n":1,"jumped": [ {"a":[1]} , {"b":"]"},7 ] ,"nextPageToken":"u"} ',
        'jumped',
      );
      expect(jumped).toBeInstanceOf(RawList);
      expect(Array.from(jumped as RawList, (record) => record.text())).toEqual(['{"a":[1]}', '{"b":"]"}', '7']);
      expect(nextPageToken).toBe('u');
      expect([...(parse('{"jumped":[ ],"nextPageToken":"u"}', 'jumped')['jumped'] as RawList)]).toEqual([]);
    });

    test.each([
      ['another name behind it', '{"other":[{"a":1}],"nextPageToken":"t","rows":[]}'],
      ['no name behind it', '{"other":[{"a":1}]}'],
      ['text behind it that looks like its end', '{"other":[{"a":1}],"nextPageToken":"]","x":"}"}'],
    ])('is walked through with %s', (_, text) => {
      known('other');
      expect(parse(text, 'other')['other']).toBeInstanceOf(Array);
    });

    test.each(['[{"a":1}]', '[]', '[ ]'])(
      'says so where it ends before it was thought to, and is walked through from then on: %s',
      (list) => {
        const text = `{"early":${list},"errors":[{"b":1}],"nextPageToken":"t"}`;
        known('early');
        const { early } = parse(text, 'early');
        expect(() => [...(early as RawList)]).toThrow(/no valid JSON in its list of records/);
        expect(whole(parse(text, 'early'))).toEqual(JSON.parse(text));
        expect(parse(text, 'early')['early']).toBeInstanceOf(Array);
      },
    );

    test('is walked through where what seems to stand behind it would take its place', () => {
      const read = (text: string) => whole(parseAround(Buffer.from(text), ['twice', 'list', '[]'], {}));
      read('{"twice":{"list":[1]},"list":0}');
      const text = '{"twice":{"list":[]},"other":{"some":[],"list":0}}';
      expect(read(text)).toEqual(JSON.parse(text));
    });

    test.each(['{"a":1', '{"a":1]', '{"a":1}{}', '{"a":1},', '"a'])('ends with an error where it holds %s', (text) => {
      known('cut');
      const { cut } = parse(`{"cut":[{"a":1},${text}],"nextPageToken":"t"}`, 'cut') as { cut: RawList };
      expect(() => Array.from(cut, (record) => record.parse())).toThrow(/no valid JSON/);
    });

    test('holds no more records than are taken', () => {
      known('many');
      const most = { bounds: { ...bounds.page, items: 2 } };
      const text = '{"many":[1,2,3],"nextPageToken":"t"}';
      const { many } = parseAround(Buffer.from(text), ['many', '[]'], most) as { many: RawList };
      expect(() => [...many]).toThrow(/more than 2 items/);
    });
  });

  test.each(['"result":{"a":[1]},"meta":{}', '"result":[{"a":1}],"meta":[]', '"meta":{},"result":{"a":[1]}'])(
    'takes of each answer of a batch its result alone: %s',
    (members) => {
      const text = `[${[1, 2, 3].map((id) => `{"jsonrpc":"2.0","id":${id},${members}}`)}]`;
      expect(whole(parseAround(Buffer.from(text), ['[]', 'result'], {}))).toEqual(JSON.parse(text));
    },
  );

  test('keeps the bounds on values, items and depth', () => {
    const parse = (text: string, most: Partial<typeof bounds.page>) =>
      parseAround(Buffer.from(text), ['records', '[]'], { bounds: { ...bounds.page, ...most } });
    expect(() => parse('{"records":[{"a":[1,2,3]}]}', { values: 3 })).toThrow(/more than 3 values/);
    expect(() => parse('{"records":[1,2,3]}', { items: 2 })).toThrow(/more than 2 items/);
    expect(() => parse('{"records":[[1,2,3]]}', { items: 2 })).toThrow(/more than 2 items/);
    expect(parse('{"records":[[[[1]]]]}', { depth: 2 })).not.toEqual(parse('{"records":[[[[1]]]]}', {}));
  });
});
