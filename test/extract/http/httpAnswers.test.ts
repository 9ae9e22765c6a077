import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { createHttp } from '../../../src/extract/http/http.ts';
import { against, failing, openHttp } from '../against.ts';
import { fakeClock } from '../fakeClock.ts';
import { json, localServer } from '../localServer.ts';

describe('an answer with JSON', () => {
  test.each([200, 201, 202, 299])('and the status %i is success', async (status) => {
    const { http } = await against((response) => json(response, status, { id: 1 }));
    expect(await http.get('/v1/x')).toMatchObject({ body: { id: 1 }, bytes: 8 });
  });

  test('keeps integers above 2^53', async () => {
    const { http } = await against((response) => json(response, 200, '{"weight":18446744073709551615}'));
    expect((await http.get('/')).body).toEqual({ weight: 18446744073709551615n });
  });

  test('keeps every number as text where the source says so', async () => {
    const { http } = await against((response) => json(response, 200, '{"value":1.20e21,"n":"1"}'), { numbers: 'text' });
    expect((await http.get('/')).body).toEqual({ value: '1.20e21', n: '1' });
  });

  test('need not say that it is JSON, and may begin with a byte order mark', async () => {
    const { http } = await against((response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('\ufeff[1]'),
    );
    expect((await http.get('/')).body).toEqual([1]);
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
    ['identity', (text: string) => Buffer.from(text)],
  ])('may be compressed with %s', async (encoding, compress) => {
    const text = JSON.stringify({ list: Array.from({ length: 500 }, (_, i) => `item ${i}`) });
    const { http } = await against((response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(text)),
    );
    const answer = await http.get('/');
    expect(answer.body).toEqual(JSON.parse(text));
    expect(answer.bytes).toBe(text.length);
    expect(http.stats()).toMatchObject({ bytes: text.length, wireBytes: compress(text).length });
  });
});

describe('a request', () => {
  test('carries the key in its header, and says what it accepts', async () => {
    const { server, http } = await against((response) => json(response, 200, {}), {
      key: 'topsecretkey',
      headers: { 'X-Extra': 'yes' },
    });
    await http.get('/v1/x', { pageSize: 100, pageToken: undefined, includeSpent: true, name: 'a b&c' });
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      url: '/v1/x?pageSize=100&includeSpent=true&name=a+b%26c',
      headers: {
        'x-service-api-key': 'topsecretkey',
        'x-extra': 'yes',
        'accept-encoding': 'gzip',
        accept: 'application/json',
      },
    });
  });

  test('uses the configured key header', async () => {
    const { server, http } = await against((response) => json(response, 200, {}), {
      key: 'topsecretkey',
      keyHeader: 'X-Other-Key',
    });
    await http.get('/');
    expect(server.received[0]?.headers).toMatchObject({ 'x-other-key': 'topsecretkey' });
    expect(server.received[0]?.headers['x-service-api-key']).toBeUndefined();
  });

  test.each([{ key: 'topsecretkey\n' }, { headers: { 'a b': 'c' } }, { headers: { 'x-name': 'Łódź' } }])(
    'is not sent with a header that HTTP does not know, which is the configuration: %j',
    async (origin) => {
      const { server, http } = await against((response) => json(response, 200, {}), origin);
      expect(await failing(http.get('/v1/x'))).toMatchObject({
        code: 'config',
        message: expect.stringMatching(/was not sent: invalid .*header.*Correct the headers or the key/),
      });
      expect(server.received).toEqual([]);
    },
  );

  test('posts JSON, integers beyond 2^53 as strings', async () => {
    const { server, http } = await against((response) => json(response, 201, {}));
    await http.post('/v1/x', { a: 1 }, { addresses: ['x'], amount: 18446744073709551615n });
    expect(server.received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/x?a=1',
      body: '{"addresses":["x"],"amount":"18446744073709551615"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  test('goes below the path of the URL, with its query and its user', async () => {
    const server = await localServer((response) => json(response, 200, {}));
    const url = server.url.replace('http://', 'http://me:p%40ss@');
    const http = openHttp({ origin: { url: `${url}/base/?apikey=topsecretkey` } });
    await http.get('/v1/x', { a: 1 });
    await http.send({ method: 'POST', path: '', body: {} });
    expect(server.received.map((request) => request.url)).toEqual([
      '/base/v1/x?apikey=topsecretkey&a=1',
      '/base/?apikey=topsecretkey',
    ]);
    expect(server.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    expect(http.url).toBe(`${server.url}/base`);
  });

  test('reuses its connection', async () => {
    const { server, http } = await against((response) => json(response, 200, {}));
    for (let i = 0; i < 5; i += 1) await http.get('/');
    expect(server.connections()).toBeLessThan(5);
  });

  test.each(['ftp://host', 'host', '', 'file:///x'])('to %j is refused before anything is sent', (url) => {
    expect(() => createHttp({ origin: { url } })).toThrow(expect.objectContaining({ code: 'config' }));
  });
});

describe('a status outside 200-299', () => {
  test.each([
    [400, 'refused', /400 Bad Request: "pageSize must not be greater than 100"\. Check the parameters/],
    [401, 'unauthorized', /401 Unauthorized: .* Check the key/],
    [403, 'unauthorized', /403 Forbidden: /],
    [404, 'not_found', /404 Not Found: /],
    [405, 'refused', /405 Method Not Allowed: .* Check the URL/],
    [413, 'refused', /413 Payload Too Large: .* less at once/],
    [415, 'refused', /415 Unsupported Media Type: /],
    [429, 'rate_limited', /429 Too Many Requests: .* Run again later/],
    [500, 'unavailable', /500 Internal Server Error: .* Run again later/],
    [502, 'unavailable', /502 Bad Gateway: /],
    [503, 'unavailable', /503 Service Unavailable: /],
    [599, 'unavailable', /answered 599: "/],
  ])('%i becomes %s and a sentence', async (status, code, sentence) => {
    const message = 'pageSize must not be greater than 100';
    const { server, http } = await against((response) =>
      json(response, status, { message, statusCode: status, error: 'x' }),
    );
    const error = await failing(http.get('/v1/x', { pageSize: 500 }));
    expect(error).toMatchObject({ code, context: { status, serverMessage: message } });
    expect(error.message).toMatch(sentence);
    expect(error.message.startsWith(`GET ${server.url}/v1/x?pageSize=500 answered ${status}`)).toBe(true);
  });

  test.each([
    [
      'a list of messages',
      '{"message":["a is wrong","b is wrong"],"statusCode":400,"error":"Bad Request"}',
      '"a is wrong; b is wrong"',
    ],
    ['only an error', '{"error":"Bad Request"}', '"Bad Request"'],
    ['a nested error', '{"error":{"message":"deep"}}', '"deep"'],
    ['plain text', 'invalid host specified\n', '"invalid host specified"'],
    ['HTML', '<html><head><title>502 Bad  Gateway</title></head></html>', '"502 Bad Gateway"'],
    ['HTML without a title', '<html>\u0007<body>x</body></html>', '400 Bad Request. '],
    ['nothing', '', '400 Bad Request. '],
    ['broken JSON', '{"message":', '"{"message":"'],
    ['control characters', '{"message":"a\\u001b[31mb\\nc"}', '"a [31mb c"'],
    ['a novel', JSON.stringify({ message: 'x'.repeat(5_000) }), `"${'x'.repeat(300)}…"`],
  ])('may come with %s', async (_, body, shown) => {
    const { http } = await against((response) => response.writeHead(400).end(body));
    expect((await failing(http.get('/'))).message).toContain(shown);
  });

  test('may come with a body that is endless or damaged', async () => {
    const { http } = await against((response, n) =>
      n === 1
        ? response.writeHead(400).end('x'.repeat(1_000_000))
        : response.writeHead(404, { 'content-encoding': 'gzip' }).end('no gzip'),
    );
    expect(await failing(http.get('/'))).toMatchObject({ code: 'refused' });
    expect(await failing(http.get('/'))).toMatchObject({ code: 'not_found' });
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with %i is not followed, and the key stays here', async (status) => {
    const elsewhere = await localServer((response) => json(response, 200, {}));
    const location = `${elsewhere.url}/v2?apikey=topsecretkey`;
    const { server, http } = await against((response) => response.writeHead(status, { location }).end(), {
      key: 'topsecretkey',
    });
    const error = await failing(http.get('/v1/x'));
    expect(error.code).toBe('refused');
    expect(error.message).toContain(`points to ${elsewhere.url}/v2?apikey=***`);
    expect(error.message).toMatch(/Redirects are not followed, .* as the URL, without the path that firn adds\.$/);
    expect(server.received).toHaveLength(1);
    expect(elsewhere.received).toHaveLength(0);
  });
});

describe('a good status without data', () => {
  test.each([
    ['nothing', '', /answered 200 with nothing\./, 'empty'],
    ['blanks', ' \n', /answered 200 with nothing\./, 'empty'],
    [
      'HTML',
      '<!doctype html><title>Please log in</title>',
      /answered 200 with HTML instead of JSON: "Please log in"\./,
      'html',
    ],
    ['text', 'OK', /answered 200 with something that is not JSON: "OK"\./, 'not_json'],
    ['null', 'null', /answered 200 with null instead of data\./, 'empty'],
    ['cut JSON', '{"list":[1,2', /not JSON/, 'not_json'],
  ])('(%s) is tried again, and then breaks the contract', async (_, body, sentence, reason) => {
    const { server, http } = await against(
      (response) => response.writeHead(200).end(body),
      {},
      { retry: { attempts: 3 } },
    );
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code: 'contract', context: { reason, attempts: 3 } });
    expect(error.message).toMatch(sentence);
    expect(error.message).toContain('Tried 3 times.');
    expect(server.received).toHaveLength(3);
  });

  test('is forgotten when the next answer is good', async () => {
    const { http } = await against((response, n) => response.writeHead(200).end(['', '<html>', '{'][n - 1] ?? '[]'));
    expect((await http.get('/')).body).toEqual([]);
    expect(http.stats()).toMatchObject({ requests: 4, retries: 3 });
  });

  test.each([
    [400, 'refused', 1],
    [401, 'unauthorized', 1],
    [429, 'rate_limited', 2],
    [503, 'unavailable', 2],
  ])('that holds an error of status %i is that error', async (statusCode, code, sent) => {
    const { server, http } = await against(
      (response) => json(response, 200, { message: ['no'], statusCode, error: 'No' }),
      {},
      { retry: { attempts: 2 } },
    );
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code, context: { status: statusCode } });
    expect(error.message).toContain(`answered 200, but the body is an error of status ${statusCode}: "no".`);
    expect(server.received).toHaveLength(sent);
  });

  test('is seen in an answer that is left unparsed too', async () => {
    const answers = [{ statusCode: 429, message: 'slow down' }, null, { txHash: '0x00', statusCode: 1 }];
    const { http } = await against(
      (response, n) => json(response, 200, answers[n - 1]),
      {},
      { retry: { attempts: 1 } },
    );
    const whole = { method: 'GET', path: '/', raw: [] } as const;
    expect(await failing(http.send(whole))).toMatchObject({ context: { status: 429 } });
    expect(await failing(http.send(whole))).toMatchObject({ context: { reason: 'empty' } });
    expect((await http.send(whole)).body).toBeInstanceOf(RawValue);
  });

  test('that holds a JSON-RPC error where none was asked for breaks the contract', async () => {
    const { http } = await against((response) =>
      json(response, 200, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'invalid request' } }),
    );
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code: 'contract' });
    expect(error.message).toContain('JSON-RPC error: "invalid request"');
  });

  test.each([{ statusCode: 400 }, { jsonrpc: '2.0', error: {} }])(
    'that holds an error of many words (%j) keeps the beginning of them',
    async (members) => {
      const { http } = await against((response) => json(response, 200, { ...members, message: 'x'.repeat(100_000) }));
      expect((await failing(http.get('/'))).context['serverMessage']).toBe('x'.repeat(4_096));
    },
  );

  test('is not confused with data that looks a little like an error', async () => {
    const body = { statusCode: 200, message: 'fine', error: null };
    const { http } = await against((response) => json(response, 200, body));
    expect((await http.get('/')).body).toEqual(body);
  });

  test('in bytes that are no UTF-8 breaks the contract', async () => {
    const { http } = await against(
      (response) => response.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22])),
      {},
      { retry: { attempts: 2 } },
    );
    expect(await failing(http.get('/'))).toMatchObject({ code: 'contract', context: { reason: 'not_utf8' } });
  });

  test('in an encoding that was not asked for breaks the contract', async () => {
    const { http } = await against((response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'));
    expect((await failing(http.get('/'))).message).toMatch(/^GET http.*: The answer is encoded as "zstd"/);
  });
});

describe('an answer that is too large', () => {
  const maxBytes = 2 ** 17;
  test.each([
    ['as it is', {}, Buffer.alloc(maxBytes + 1, ' ')],
    ['once unpacked', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000, ' '))],
    ['once unpacked twice', { 'content-encoding': 'gzip, gzip' }, gzipSync(gzipSync(Buffer.alloc(50_000_000, ' ')))],
  ])('%s is cut off', async (_, headers, body) => {
    const { server, http } = await against(
      (response) => response.writeHead(200, headers as Record<string, string>).end(body),
      { maxBytes },
      { retry: { attempts: 2 } },
    );
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code: 'contract', context: { reason: 'too_large', bound: 'bytes', most: maxBytes } });
    expect(error.message).toMatch(/ The answer holds more than 0.125 MiB .* Ask for smaller pages/);
    expect(server.received).toHaveLength(2);
    expect(http.stats().bytes).toBe(0);
  });

  test('ends at the limit, not before', async () => {
    const { http } = await against((response) => response.writeHead(200).end(`[${' '.repeat(maxBytes - 2)}]`), {
      maxBytes,
    });
    expect((await http.get('/')).bytes).toBe(maxBytes);
  });
});

describe('no secret', () => {
  test('is in any error or log line, though the server repeats all it was sent', async () => {
    const server = await localServer((response, _, { url, headers }) =>
      json(response, 503, { message: `${url} ${JSON.stringify(headers)}` }),
    );
    const lines: string[] = [];
    const write = (fields: Record<string, unknown>, message: string) =>
      void lines.push(JSON.stringify({ ...fields, message }));
    const http = openHttp({
      origin: {
        url: `${server.url.replace('http://', 'http://me:userpassword@')}/?api_key=querysecret`,
        key: 'topsecretkey',
        headers: { 'x-other-token': 'headersecret', authorization: 'Bearer headerbearer' },
      },
      clock: fakeClock(),
      log: { debug: write, warn: write },
      retry: { attempts: 3 },
    });
    const error = await failing(http.get('/v1', { key: 'requestsecret' }));
    const shown = `${http.url} ${error.message} ${JSON.stringify(error.context)} ${lines.join('\n')}`;
    expect(lines).toHaveLength(2);
    for (const secret of [
      'userpassword',
      'querysecret',
      'topsecretkey',
      'headersecret',
      'headerbearer',
      'requestsecret',
    ]) {
      expect(shown).not.toContain(secret);
    }
  });
});

test('a server that speaks HTTP/2 alone is told as such', async () => {
  const server = createServer((_, response) => response.end('{}'));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const http = createHttp({ origin: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
  const error = await http.send({ method: 'GET', path: '/' }).catch((failure: unknown) => failure);
  await http.close();
  expect(error).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      /the server speaks HTTP\/2 alone \(HTTP2_ALONE\)\. firn speaks HTTP\/1\.1: .* a proxy/,
    ),
  });
});

test('https:// to a port that speaks plain HTTP is told as such, and not as a wrong certificate', async () => {
  const { url } = await localServer((response) => json(response, 200, {}));
  const http = createHttp({ origin: { url: url.replace('http:', 'https:') } });
  const error = await http.send({ method: 'GET', path: '/' }).catch((failure: unknown) => failure);
  await http.close();
  expect(error).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/this port does not speak TLS \(ERR_SSL_\w+\)\. Write http:\/\/ in the URL/),
  });
});
