import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Numbers, parseLossless } from '../../src/core/parseLossless.ts';

const long = '0x'.padEnd(600, 'ab');

describe('lossless', () => {
  it.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    [' 18446744073709551615 ', 18446744073709551615n],
    ['1000000000000000', 1000000000000000],
    ['1.8446744073709551615', Number('1.8446744073709551615')],
    ['12345678901234567890.5', Number('12345678901234567890.5')],
    ['1.2e21', 1.2e21],
    ['12345678901234567e3', Number('12345678901234567e3')],
    ['-0', -0],
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

  it.each<[string, unknown]>([
    ['18446744073709551615', 18446744073709551615n],
    [`"${long}"`, long],
  ])('keeps a member called __proto__ a member: %.20s', (literal, value) => {
    const parsed = parseLossless(`{"__proto__":${literal}}`) as object;
    expect(Object.getOwnPropertyDescriptor(parsed, '__proto__')?.value).toBe(value);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  // Most of each text is long strings, so that these are cut out.
  it.each<[string, unknown]>([
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

  it('lets a control character in a long string through, and in no other', () => {
    expect(parseLossless(`"${long}\n"`)).toBe(`${long}\n`);
    expect(() => parseLossless(`["\n","${long}"]`)).toThrow(SyntaxError);
  });

  it('walks any depth', () => {
    const depth = 20_000;
    let inner = parseLossless(`${'['.repeat(depth)}18446744073709551615${']'.repeat(depth)}`);
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe(18446744073709551615n);
  });
});

describe('text', () => {
  it.each<[string, unknown]>([
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
  it.each(invalid)('refuses %j', (text) => {
    expect(() => parseLossless(text, { numbers })).toThrow(SyntaxError);
  });

  it('tells of an error in terms of the text that was served', () => {
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
      const integer = literal[1] === undefined && literal[2] === undefined && literal[0] !== '-0';
      return integer && !Number.isSafeInteger(Number(literal[0])) ? BigInt(literal[0]) : Number(literal[0]);
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

it.each<Numbers>(['lossless', 'text'])('%s equals the reference on any document', (numbers) => {
  fc.assert(
    fc.property(tree, (text) => {
      expect(parseLossless(text, { numbers })).toStrictEqual(reference(text, numbers));
    }),
    { numRuns: 2_000 },
  );
});

it.each<Numbers>(['lossless', 'text'])('%s accepts exactly what JSON.parse accepts', (numbers) => {
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
    { numRuns: 3_000 },
  );
});
