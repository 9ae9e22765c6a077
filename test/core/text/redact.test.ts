import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEchoFilter,
  createRedactor,
  isSecretHeader,
  isSecretName,
  isSurelyKey,
  mayHoldSecret,
  redactUrl,
  shownUrl,
} from '../../../src/core/text/redact.ts';

describe('names of secrets', () => {
  test.each([
    'x-service-api-key',
    'X-Glacier-Api-Key',
    'apikey',
    'api_key',
    'key',
    'token',
    'access_token',
    'Authorization',
    'X-Amz-Signature',
    'X-Amz-Security-Token',
    'client_secret',
    'password',
    'Cookie',
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true);
  });
  test.each(['pageToken', 'nextPageToken', 'chainId', 'collectionAddress', 'tokenId', 'monkey', 'content-type'])(
    '%s is none',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

test.each([
  ['https://user:pa@ss@host/a?b=1', 'https://***@host/a?b=1'],
  ['https://host/a?apikey=abc&pageToken=def#x', 'https://host/a?apikey=***&pageToken=def#x'],
  ['https://host/a?x=1&api%5Fkey=abc', 'https://host/a?x=1&api%5Fkey=***'],
  ['https://host/a?%E0%A4%A=1&key=abc', 'https://host/a?%E0%A4%A=1&key=***'],
  ['http://user:secret@not a host/', 'http://***@not a host/'],
  ['x_https://user:secret@host/', 'x_https://***@host/'],
  ['-1.https://user:secret@host/', '-1.https://***@host/'],
  ['/relative?token=abc', '/relative?token=***'],
  ['https://host/path@x', 'https://host/path@x'],
])('%s is shown as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});

test('a long text is looked through once', () => {
  const words = 'a.'.repeat(2 ** 18);
  expect(redactUrl(words)).toBe(words);
});

test.each([
  ['x-other-token', true],
  ['X-Glacier-Api-Key', true],
  ['Proxy-Authorization', true],
  ['Set-Cookie', true],
  ['X-Amz-Credential', true],
  ['accept', false],
  ['content-type', false],
])('the header %s carries a secret: %s', (name, secret) => {
  expect(isSecretHeader(name)).toBe(secret);
});

describe('a redactor', () => {
  test.each([
    [['topsecret'], 'key topsecret sent', 'key *** sent'],
    [['a b/c d'], 'GET /x?q=a%20b%2Fc%20d', 'GET /x?q=***'],
    [['quo"te\\d'], JSON.stringify({ key: 'quo"te\\d' }), '{"key":"***"}'],
    [[], 'asked for "/v1/x?a=1&key=abc" twice', 'asked for "/v1/x?a=1&key=***" twice'],
    [[], 'is a=1&b=2? key=abc', 'is a=1&b=2? key=abc'],
    [['test'], 'testnet test', 'testnet ***'],
    [['abcdefgh', 'abcdefghij'], 'abcdefghij abcdefgh', '*** ***'],
    [[''], 'nothing to hide', 'nothing to hide'],
    [
      [],
      'see https://u:p@host/x?key=1, then (http://h?sig=2)',
      'see https://***@host/x?key=*** then (http://h?sig=***',
    ],
    [['(a+)+$'], 'x (a+)+$ y', 'x *** y'],
  ])('%j in %s', (secrets, text, expected) => {
    expect(createRedactor(secrets)(text)).toBe(expected);
  });

  test('never lets a long secret through', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'***'.includes(secret) && !/^\*+$/.test(secret));
        const hidden = createRedactor([secret])(`${before}${secret}${after}`);
        expect(hidden.split('***').some((part) => part.includes(secret))).toBe(false);
      }),
    );
  });
});

test.each([
  ['https://host/v1/4f2b9c81d77e4a0f/rpc', 'https://host/v1/***/rpc'],
  ['https://me:secret@host/ext/bc/C/rpc?key=abc', 'https://***@host/ext/bc/C/rpc?key=***'],
  [
    'https://host/ext/bc/2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5/rpc',
    'https://host/ext/bc/2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5/rpc',
  ],
  ['https://host/a-long-word-without-digits/rpc', 'https://host/a-long-word-without-digits/rpc'],
  ['https://host/v1/4f2b9c81d77e4a0%66/rpc', 'https://host/v1/***/rpc'],
  ['no url', 'no url'],
])('the configured URL %s is shown as %s', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});

describe('an echo filter', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    [['topsecret-1'], 'x-api-key: topsecret-1', 'x-api-key: ***'],
    [['topsecret-1'], JSON.stringify('first\ntopsecret-1\nlast'), JSON.stringify('first\n***\nlast')],
    [['user:p@ss/word'], `{"a":"Basic ${base64('user:p@ss/word')}"}`, '{"a":"Basic ***="}'],
    [['p@ss/word 1'], 'https://u:p%40ss%2Fword%201@h and p%40ss%2fword%201', 'https://u:***@h and ***'],
    [['0123456789abcdef0'], '"xx0123456789abcdef0yy"', '"xx***yy"'],
    [
      ['q7Rt/9f+Zk=='],
      String.raw`q7Rt\/9f+Zk== q7Rt/9f\u002BZk== q7Rt\/9f\u002bZk== q7Rt/9f+Zk\u003d\u003d`,
      '*** *** *** ***',
    ],
    [
      [`a&b<c>d'e"f`],
      String.raw`a\u0026b\u003Cc\u003Ed'e\"f a\u0026b\u003cc\u003ed\u0027e\"f a\u0026b\u003Cc\u003Ed\u0027e\u0022f`,
      '*** *** ***',
    ],
    [['pässwörd1'], String.raw`p\u00e4ssw\u00f6rd1 p\u00E4ssw\u00F6rd1`, '*** ***'],
    [
      ['user1:~~~???>>>'],
      `Basic ${base64('user1:~~~???>>>').replaceAll('/', '\\/').replaceAll('+', '\\u002B')}`,
      'Basic ***',
    ],
    [['user1:~~~???>>>'], `Basic ${Buffer.from('user1:~~~???>>>').toString('base64url')}`, 'Basic ***'],
    // Text that may as well be data stays.
    [['short'], '"short"', '"short"'],
    [['<>'], String.raw`"\u003C\u003E"`, String.raw`"\u003C\u003E"`],
    [['12345678'], '{"blockNumber":12345678}', '{"blockNumber":12345678}'],
    [['abcdefgh'], '"0xabcdefgh01"', '"0xabcdefgh01"'],
    [[''], '""', '""'],
  ])('hides %j in %s', (secrets, text, hidden) => {
    expect(createEchoFilter(secrets)(Buffer.from(text)).toString()).toBe(hidden);
  });

  test('leaves JSON that holds no secret as it is, and JSON that does valid', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.json(), (secret, json) => {
        const filter = (text: string) => createEchoFilter([secret])(Buffer.from(text)).toString();
        if (!json.includes(secret)) expect(filter(json)).toBe(json);
        fc.pre(/[^\d\s"\\{}[\]:,.eE+-]/.test(secret) && !/["\\]|true|false|null/.test(secret));
        expect(JSON.parse(filter(JSON.stringify({ echo: secret })))).toBeTypeOf('object');
      }),
    );
  });
});

test.each([
  ['key: abc', true],
  ['  "x-api-key": abc', true],
  ['url: https://user:pass@host', true],
  ['url: https://host/v1/4f2b9c81d77e4a0f/rpc', true],
  ['url: https://host/?apikey=1', true],
  ['warehouse: [here', false],
  ['chainIds: ["43114"', false],
])('a line may hold a secret: %s: %s', (line, may) => {
  expect(mayHoldSecret(line)).toBe(may);
});

test.each([
  ['4f2b9c81d77e4a0f', true],
  ['canary-4f2b9c81d77e4a0f', true],
  ['550e8400-e29b-41d4-a716-446655440000', true],
  ['avalanche-fuji-c-chain-v2', false],
  ['a sentence about 4f2b9c81d77e4a0f', false],
  ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', false],
  ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', false],
  ['0x7b1ea9c4a1b6d5f0a9e3c2d1b0a99887766554433', false],
  ['mainnet', false],
])('%s is surely a key: %s', (text, isOne) => {
  expect(isSurelyKey(text)).toBe(isOne);
});
