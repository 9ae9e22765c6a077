import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bounds } from '../../../src/core/json/bounds.ts';
import { jsonText } from '../../../src/core/json/jsonText.ts';
import { type Numbers, parseLossless } from '../../../src/core/json/parseLossless.ts';
import { Verbatim } from '../../../src/core/json/verbatim.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

const long = '0x'.padEnd(600, 'ab');

describe('lossless', () => {
  test.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    [' 18446744073709551615 ', 18446744073709551615n],
    ['1000000000000000', 1000000000000000],
    ['12345678901234567000', 12345678901234567000n],
    ['0.5', 0.5],
    ['[-1.25,1.2e+21,1e-7,0]', [-1.25, 1.2e21, 1e-7, 0]],
    [`[${'9'.repeat(100)}]`, [10n ** 100n - 1n]],
    ['"18446744073709551615"', '18446744073709551615'],
    [
      '{"a":18446744073709551615,"b":[1,18446744073709551616,"x"]}',
      { a: 18446744073709551615n, b: [1, 18446744073709551616n, 'x'] },
    ],
    ['{"18446744073709551615":1}', { '18446744073709551615': 1 }],
    [
      '["a \\" , 18446744073709551615 ,",18446744073709551615]',
      ['a " , 18446744073709551615 ,', 18446744073709551615n],
    ],
    ['["\\\\",18446744073709551615,"\\\\\\""]', ['\\', 18446744073709551615n, '\\"']],
    ['[18446744073709551615,"\\u00011","\\u0001\\u00012"]', [18446744073709551615n, '\u00011', '\u0001\u00012']],
    ['[18446744073709551615,null,true,{}]', [18446744073709551615n, null, true, {}]],
  ])('%s', (text, expected) => {
    expect(parseLossless(text)).toStrictEqual(expected);
  });

  test.each<[string, unknown]>([
    ['18446744073709551615', 18446744073709551615n],
    [`"${long}"`, long],
  ])('keeps a member called __proto__ a member: %.20s', (literal, value) => {
    const parsed = parseLossless(`{"__proto__":${literal}}`) as object;
    expect(Object.getOwnPropertyDescriptor(parsed, '__proto__')?.value).toBe(value);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  // Most of each text is long strings, so that these are cut out.
  test.each<[string, unknown]>([
    ['alone', long],
    ['with integers beside them', [1, long, { a: long }]],
    ['with one as a name', { [long]: long, a: long }],
    ['with an escape', [`${long}\n`, long, long]],
    ['with what looks like a mark', ['\u00010', long, '\u0001\u00011', long]],
    ['not ASCII', ['é\u2028', long, 'é'.repeat(600)]],
  ])('takes long strings %s', (_, document) => {
    expect(parseLossless(JSON.stringify(document))).toStrictEqual(document);
    expect(parseLossless(JSON.stringify(document, null, 600))).toStrictEqual(document);
    expect(parseLossless(`[${JSON.stringify(document)},-9007199254740993]`)).toStrictEqual([
      document,
      -9007199254740993n,
    ]);
  });

  test('refuses a control character in a long string as in any other', () => {
    expect(() => parseLossless(`"${long}\n"`)).toThrow(SyntaxError);
    expect(() => parseLossless(`["${long}","${long}\u0000"]`)).toThrow(SyntaxError);
    expect(() => parseLossless(`["\n","${long}"]`)).toThrow(SyntaxError);
  });

  // What a number would not give back as it was written.
  test.each([
    '1e400',
    '-1e400',
    '1.10',
    '-0',
    '1.8446744073709551615',
    '1.2e21',
    '12345678901234567e3',
    '9'.repeat(101),
  ])('keeps %.30s as it was written', (literal) => {
    const kept = (parseLossless(`{"a":[${literal}]}`) as { a: unknown[] }).a[0] as Verbatim;
    expect(kept).toBeInstanceOf(Verbatim);
    expect([`${kept}`, Number(kept), kept.isNested]).toEqual([literal, Number(literal), false]);
    expect(jsonText({ a: [kept] })).toBe(`{"a":[${literal}]}`);
  });

  test('takes a document that holds every mark', () => {
    const marks = Array.from({ length: 50 }, (_, i) => '\u0001'.repeat(i)).concat(`\u0001${'\u0002'.repeat(24)}`);
    const many = `[${JSON.stringify(marks)}${',18446744073709551615'.repeat(1000)}]`;
    expect(parseLossless(many)).toEqual([marks, ...Array(1000).fill(18446744073709551615n)]);
  });
});

describe('what is nested too deep', () => {
  const { depth } = bounds.page;
  const lists = (deep: number) => `${'['.repeat(deep)}18446744073709551615${']'.repeat(deep)}`;
  const objects = (deep: number) => `${'{"a":['.repeat(deep / 2)}"]"${']}'.repeat(deep / 2)}`;

  test.each([lists(depth), objects(depth)])('is not %.40s, which is as deep as is parsed', (text) => {
    expect(jsonText(parseLossless(text))).toBe(text);
    const [first] = [parseLossless(text)].flat(depth);
    expect(first).not.toBeInstanceOf(Verbatim);
  });

  test.each([lists(depth + 1), lists(100_000), objects(100_000)])('is kept as it was written: %.40s', (text) => {
    const around = `{"before":[1,2],"deep":${text},"after":1e400}`;
    expect(jsonText(parseLossless(around))).toBe(around);
    let inner = parseLossless(text);
    let deep = 0;
    for (; !(inner instanceof Verbatim); deep += 1) inner = Object.values(inner as object)[0];
    expect([deep, inner.isNested]).toEqual([depth, true]);
  });

  test.each(['[', '{"a":', ']', '}', 'x'])('must be valid too: %s', (part) => {
    expect(() => parseLossless(`{"a":${part.repeat(100_000)}}`)).toThrow(SyntaxError);
    expect(() => parseLossless(`{"a":${lists(500).replace('1844', `${part}1844`)}}`)).toThrow(SyntaxError);
    expect(() => parseLossless(`{${lists(500)}:1}`)).toThrow(SyntaxError);
  });
});

describe('bounds', () => {
  const few = { ...bounds.page, values: 10, items: 5 };
  const parse = (text: string) => parseLossless(text, { bounds: few });

  test.each(['[1,2,3,4,5]', '{"a":1,"b":2,"c":3,"d":4,"e":5}', '[[1,2,3],[",,,,,,,,,,{{[["],{}]', '[]', '7'])(
    'take %s',
    (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    },
  );

  test.each([
    ['[1,2,3,4,5,6]', 'items'],
    ['{"a":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}', 'items'],
    ['[[1,2,3,4],[5,6,7,8],[9]]', 'values'],
    ['[[],[],[[[[[[{}]]]]]]]', 'values'],
    // It is refused before it proves to be no JSON at all.
    [`${'{"a":'.repeat(11)}`, 'values'],
  ] as const)('refuse %s', (text, bound) => {
    const refused = { code: 'contract', retryable: true, context: { reason: 'too_large', bound, most: few[bound] } };
    expect(caught(() => parse(text))).toMatchObject(refused);
  });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('text', () => {
  test.each<[string, unknown]>([
    ['{"value":1.2e21,"timestamp":1770000000}', { value: '1.2e21', timestamp: '1770000000' }],
    ['{"value":"27"}', { value: '27' }],
    ['[0.10,-0,1E+2,"1.50"]', ['0.10', '-0', '1E+2', '1.50']],
    ['27', '27'],
    ['{"1":{"2":3},"a":null,"b":true}', { '1': { '2': '3' }, a: null, b: true }],
  ])('%s', (text, expected) => {
    expect(parseLossless(text, { numbers: 'text' })).toStrictEqual(expected);
  });
});

const invalid = [
  '',
  '{18446744073709551615:1}',
  '{1 : 2}',
  '[018446744073709551615]',
  '[01]',
  '[18446744073709551615.]',
  '[+18446744073709551615]',
  '[1 2]',
  '[18446744073709551615 18446744073709551615]',
  '{"a":18446744073709551615',
  '"18446744073709551615',
  '[true18446744073709551615]',
  '["\u0001",18446744073709551615]',
  `"${long}`,
  `["${long}","${long}]`,
  `{"${long}" 1, "a":"${long}"}`,
  '<html>18446744073709551615</html>',
];

describe.each<Numbers>(['lossless', 'text'])('%s', (numbers) => {
  test.each(invalid)('refuses %j', (text) => {
    expect(() => parseLossless(text, { numbers })).toThrow(SyntaxError);
  });

  test('tells of an error in terms of the text that was served', () => {
    const text = '{"weight":18446744073709551615,"x":}';
    const message = (parse: () => unknown) => {
      try {
        return parse();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message(() => parseLossless(text, { numbers }))).toBe(message(() => JSON.parse(text)));
  });
});

/** A slow parser written for clarity, as the reference. */
function reference(text: string, numbers: Numbers): unknown {
  let at = 0;
  const space = () => {
    while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  };
  const value = (): unknown => {
    space();
    const rest = text.slice(at);
    const literal = /^-?\d+(\.\d+)?([eE][-+]?\d+)?/.exec(rest);
    if (literal) {
      at += literal[0].length;
      if (numbers === 'text') return literal[0];
      const number = Number(literal[0]);
      const isInteger = literal[1] === undefined && literal[2] === undefined && literal[0] !== '-0';
      if (isInteger && !Number.isSafeInteger(number)) return BigInt(literal[0]);
      return String(number) === literal[0] ? number : new Verbatim(literal[0]);
    }
    const string = /^"(?:[^"\\]|\\.)*"/.exec(rest);
    if (string) {
      at += string[0].length;
      return JSON.parse(string[0]);
    }
    for (const [word, meaning] of [
      ['null', null],
      ['true', true],
      ['false', false],
    ] as const) {
      if (rest.startsWith(word)) {
        at += word.length;
        return meaning;
      }
    }
    const members: [unknown, unknown][] = [];
    const list = text[at] === '[';
    const end = list ? ']' : '}';
    at += 1;
    for (space(); text[at] !== end; space()) {
      if (text[at] === ',') at += 1;
      const name = list ? members.length : value();
      space();
      if (!list) at += 1;
      members.push([name, value()]);
    }
    at += 1;
    return list ? members.map(([, item]) => item) : Object.fromEntries(members);
  };
  return value();
}

const numberLiteral = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.constantFrom('-0', '1.2e21', '1E400', '12345678901234567890e-2', '0.1000000000000000000000'),
);
/** Strings that look like numbers, like structure, or like the mark itself; and long ones. */
const stringLiteral = fc
  .array(fc.constantFrom('\u0001', '\\', '"', ',', ':', '12345678901234567890', '[', 'é', '\u2028', ' ', long), {
    maxLength: 6,
  })
  .map((parts) => JSON.stringify(parts.join('')));
const space = fc.constantFrom('', '', ' ', '\n\t');
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberLiteral,
    stringLiteral,
    fc.constantFrom('null', 'true', 'false'),
    fc.tuple(fc.array(tie('tree'), { maxLength: 5 }), space).map(([items, gap]) => `[${gap}${items.join(`,${gap}`)}]`),
    fc
      .tuple(fc.array(fc.tuple(stringLiteral, tie('tree')), { maxLength: 5 }), space)
      .map(
        ([members, gap]) => `{${gap}${members.map(([name, item]) => `${name}${gap}:${gap}${item}`).join(`${gap},`)}}`,
      ),
  ),
}));

test.each<Numbers>(['lossless', 'text'])('%s equals the reference on any document', (numbers) => {
  fc.assert(
    fc.property(tree, (text) => {
      const parsed = parseLossless(text, { numbers });
      expect(parsed).toStrictEqual(reference(text, numbers));
      expect(jsonText(parsed)).toBe(jsonText(reference(text, numbers)));
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test.each<Numbers>(['lossless', 'text'])('%s accepts exactly what JSON.parse accepts', (numbers) => {
  const accepted = (parse: () => unknown) => {
    try {
      parse();
      return true;
    } catch {
      return false;
    }
  };
  const broken = fc.tuple(tree, fc.nat(), fc.constantFrom('', '"', ':', ',', '}', '0', '-', '.', 'e', '\\', '1'));
  fc.assert(
    fc.property(broken, ([text, seed, inserted]) => {
      const at = seed % (text.length + 1);
      const mutated = text.slice(0, at) + inserted + text.slice(inserted === '' ? at + 1 : at);
      expect(accepted(() => parseLossless(mutated, { numbers }))).toBe(accepted(() => JSON.parse(mutated)));
    }),
    { numRuns: fuzzRuns(3_000) },
  );
});
