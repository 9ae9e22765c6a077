import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeNumberOf } from '../../../src/core/json/answerParts.ts';
import type { HttpOptions } from '../../../src/extract/http/http.ts';
import type { Origin } from '../../../src/extract/http/origin.ts';
import { createJsonRpc } from '../../../src/extract/rpc/jsonRpc.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { against, failing } from '../against.ts';
import { fakeClock } from '../fakeClock.ts';
import { type Answer, json } from '../localServer.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

async function rpcAgainst(
  answer: Answer,
  options: { batch?: number; origin?: Partial<Origin>; http?: Partial<HttpOptions> } = {},
) {
  const { server, http } = await against(answer, options.origin, { random: () => 0, ...options.http });
  return { server, http, rpc: createJsonRpc(http, '/ext/bc/C/rpc', options.batch) };
}

const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', result: value, id });
const error = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  error: { code, message, data: null },
  id,
});
const idOf = (body: string) => (JSON.parse(body) as Call).id;

describe('one call', () => {
  test('is a POST of one request object, and gives its result', async () => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) =>
      json(response, 200, `{"jsonrpc":"2.0","result":{"weight":18446744073709551615},"id":${idOf(body)}}`),
    );
    const answer = await rpc.call('platform.getBlock', { height: 18446744073709551615n, encoding: 'json' });
    expect(answer.body).toEqual({ weight: 18446744073709551615n });
    expect(answer.bytes).toBeGreaterThan(50);
    expect(server.received[0]).toMatchObject({
      method: 'POST',
      url: '/ext/bc/C/rpc',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'platform.getBlock',
      params: { height: '18446744073709551615', encoding: 'json' },
    });
  });

  test('may have null as its result', async () => {
    const { rpc } = await rpcAgainst((response, _, { body }) => json(response, 200, result(idOf(body), null)));
    expect((await rpc.call('eth_getBlockReceipts', ['0x1'])).body).toBeNull();
  });

  test('finds its answer though ids come as text', async () => {
    const { rpc } = await rpcAgainst((response, _, { body }) => json(response, 200, result(idOf(body), 7)), {
      origin: { numbers: 'text' },
    });
    expect((await rpc.call('x', [])).body).toBe('7');
  });

  test('fails with the code and the words of the server', async () => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) =>
      json(response, 200, error(idOf(body), -32000, 'no containers have been accepted')),
    );
    const failure = await failing(rpc.call('index.getLastAccepted', {}));
    expect(failure).toMatchObject({
      code: 'refused',
      context: { rpcCode: -32000, rpcMessage: 'no containers have been accepted' },
    });
    expect(failure.message).toContain(
      `POST ${server.url}/ext/bc/C/rpc index.getLastAccepted answered with error -32000: "no containers have been accepted".`,
    );
    expect(server.received).toHaveLength(1);
  });

  test('shows no secret, though the server repeats it', async () => {
    const { rpc } = await rpcAgainst(
      (response, _, { body }) => json(response, 200, error(idOf(body), -32000, 'no such user: topsecretkey')),
      { origin: { key: 'topsecretkey' } },
    );
    const failure = await failing(rpc.call('x', []));
    expect(failure.message).toContain('no such user: ***');
    expect(failure.context.rpcMessage).toBe('no such user: ***');
  });

  test.each(['cannot query unfinalized data', 'failed to get uptime for validation ID x: validationID not found'])(
    'is made again after "%s"',
    async (message) => {
      const { server, rpc } = await rpcAgainst((response, n, { body }) =>
        json(response, 200, n < 3 ? error(idOf(body), -32000, message) : result(idOf(body), 'ok')),
      );
      expect((await rpc.call('x', [])).body).toBe('ok');
      expect(server.received).toHaveLength(3);
    },
  );

  test('is made again while the chain is bootstrapping', async () => {
    const { rpc } = await rpcAgainst((response, n, { body }) =>
      n < 3
        ? response.writeHead(503).end('API call rejected because chain is not done bootstrapping')
        : json(response, 200, result(idOf(body), 'ok')),
    );
    expect((await rpc.call('x', [])).body).toBe('ok');
  });

  test.each([
    ['a wrong id', (id: number) => result(id + 1, 'x'), 'has the id 2 instead of 1'],
    ['no id', () => ({ jsonrpc: '2.0', result: 'x' }), 'has the id null instead of 1'],
    ['neither result nor error', (id: number) => ({ jsonrpc: '2.0', id }), 'holds neither a result nor an error'],
    ['a list', (id: number) => [result(id, 'x')], 'holds neither a result nor an error'],
    ['a number', () => 1, 'holds neither a result nor an error'],
  ])('breaks the contract with %s', async (_, answer, sentence) => {
    const { rpc } = await rpcAgainst((response, _n, { body }) => json(response, 200, answer(idOf(body))), {
      http: { retry: { attempts: 1 } },
    });
    const failure = await failing(rpc.call('x', []));
    expect(failure.code).toBe('contract');
    expect(failure.message).toContain(sentence);
  });

  test('breaks the contract with an empty 200', async () => {
    const { rpc } = await rpcAgainst((response) => response.writeHead(200).end(), { http: { retry: { attempts: 2 } } });
    expect(await failing(rpc.call('x', []))).toMatchObject({
      code: 'contract',
      context: { reason: 'empty', attempts: 2 },
    });
  });

  test('takes an error without an id for its own: the server could not read the request', async () => {
    const { rpc } = await rpcAgainst((response) => json(response, 200, error(null, -32700, 'unexpected EOF')));
    expect(await failing(rpc.call('x', []))).toMatchObject({ code: 'refused', context: { rpcCode: -32700 } });
  });

  test.each([
    [
      404,
      '404 page not found\n',
      'not_offered',
      /answered 404: the server offers nothing at this path\. An index or API that is disabled/,
    ],
    [405, 'rpc: POST method required, received GET', 'refused', /405 Method Not Allowed: "rpc: POST method required/],
    [
      415,
      'invalid content type, only application/json is supported\n',
      'refused',
      /415 Unsupported Media Type: "invalid content type/,
    ],
    [403, 'invalid host specified\n', 'refused', /403 Forbidden: "invalid host specified"\..*host name/],
  ])('answered %i is said in words', async (status, body, code, sentence) => {
    const { rpc } = await rpcAgainst((response) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body),
    );
    const failure = await failing(rpc.call('x', []));
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(sentence);
  });
});

/** Like an EVM node: batches up to a number of calls and a size of the answer, a body up to a size. */
function evmNode(limits: { calls: number; bytes: number; body?: number }, outcome: (call: Call) => object): Answer {
  return (response, _, { body }) => {
    if (body.length > (limits.body ?? 5_242_880))
      return void response.writeHead(413).end(`content length too large (${body.length}>5242880)`);
    const asked = JSON.parse(body) as Call | Call[];
    if (!Array.isArray(asked)) return json(response, 200, { jsonrpc: '2.0', id: asked.id, ...outcome(asked) });
    if (asked.length > limits.calls) return json(response, 200, [error(asked[0]?.id, -32600, 'batch too large')]);
    let bytes = 0;
    const answers = asked.map((call) => {
      if (bytes > limits.bytes) return error(call.id, -32003, 'response too large');
      const answer = { jsonrpc: '2.0', id: call.id, ...outcome(call) };
      bytes += JSON.stringify(answer).length;
      return answer;
    });
    json(response, 200, answers);
  };
}

const calls = (n: number) => Array.from({ length: n }, (_, i) => ({ method: 'eth_getBlockByNumber', params: [i] }));
const echo = (call: Call) => ({ result: (call.params as number[])[0] });

describe('a result that is not what was asked for', () => {
  const check = (body: unknown) => wholeNumberOf(body, 'height');

  test('is asked for again, and the right one taken', async () => {
    let asked = 0;
    const { rpc } = await rpcAgainst((response, _, { body }) =>
      json(response, 200, JSON.stringify(result(idOf(body), asked++ === 0 ? {} : { height: '7' }))),
    );
    expect((await rpc.call('platform.getHeight', {}, { check })).body).toEqual({ height: '7' });
    expect(asked).toBe(2);
  });

  test('breaks the contract where it stays', async () => {
    const { rpc } = await rpcAgainst((response, _, { body }) =>
      json(response, 200, JSON.stringify(result(idOf(body), {}))),
    );
    expect(await failing(rpc.call('platform.getHeight', {}, { check }))).toMatchObject({
      code: 'contract',
      message: expect.stringMatching(
        /platform\.getHeight: the answer holds no number "height"; it is an object with nothing in it\./,
      ),
    });
  });

  test('is asked for alone where it came in a batch, until it is the right one', async () => {
    const { server, rpc } = await rpcAgainst((response, n, { body }) => {
      const calls = JSON.parse(body) as Call | Call[];
      const answer = Array.isArray(calls)
        ? calls.map(({ id }, i) => result(id, i === 1 ? { message: 'maintenance' } : { height: i }))
        : result(calls.id, n === 2 ? { message: 'maintenance' } : { height: 1 });
      json(response, 200, JSON.stringify(answer));
    });
    const calls = [0, 1, 2].map((height) => ({ method: 'x', params: [height], check }));
    const { body } = await rpc.callMany(calls);
    expect(body).toEqual([0, 1, 2].map((height) => ({ result: { height } })));
    expect(server.received).toHaveLength(3);
  });
});

describe('many calls', () => {
  test('go in batches, and their outcomes come in order', async () => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = JSON.parse(body) as Call[];
      json(response, 200, asked.map((call) => result(call.id, (call.params as number[])[0])).reverse());
    });
    const { body, bytes } = await rpc.callMany(calls(2_500));
    expect(body).toEqual(Array.from({ length: 2_500 }, (_, i) => ({ result: i })));
    const batches = server.received.map((request) => JSON.parse(request.body) as Call[]);
    expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(batches.flat().map(({ id }) => id)).size).toBe(2_500);
    expect(bytes).toBeGreaterThan(2_500 * 30);
  });

  test('of several batches were asked for when the first of them was', async () => {
    const clock = fakeClock();
    const start = clock.now();
    const { rpc } = await rpcAgainst(
      (response, _, { body }) => {
        clock.advance(1_000);
        json(
          response,
          200,
          (JSON.parse(body) as Call[]).map(({ id }) => result(id, null)),
        );
      },
      { batch: 2, http: { clock } },
    );
    expect((await rpc.callMany(calls(4))).requestedAt).toBe(start);
    expect(clock.now()).toBe(start + 2_000);
  });

  test('count as many compute units as there are calls', async () => {
    const { http, rpc } = await rpcAgainst(evmNode({ calls: 1_000, bytes: 1e9 }, echo));
    await rpc.callMany(calls(30));
    expect(http.stats()).toMatchObject({ requests: 1, computeUnits: 30 });
  });

  test('calls that all fail were asked for at a time of the clock that is given', async () => {
    const clock = fakeClock(Date.UTC(2100, 0, 1));
    const { rpc } = await rpcAgainst((response, _, { body }) => json(response, 200, error(idOf(body), -32000, 'no')), {
      batch: 1,
      http: { clock },
    });
    expect((await rpc.callMany(calls(2))).requestedAt).toBe(clock.now());
  });

  test('that are none ask nothing', async () => {
    const { server, rpc } = await rpcAgainst(evmNode({ calls: 1_000, bytes: 1e9 }, echo));
    expect((await rpc.callMany([])).body).toEqual([]);
    expect(server.received).toHaveLength(0);
  });

  test('shrink to what the server takes', async () => {
    const { server, rpc } = await rpcAgainst(evmNode({ calls: 100, bytes: 1e9 }, echo));
    expect((await rpc.callMany(calls(1_000))).body).toHaveLength(1_000);
    expect(server.received.length).toBeLessThan(25);
    const before = server.received.length;
    await rpc.callMany(calls(60));
    expect(server.received.length - before).toBe(1);
  });

  test('go on where the answer became too large', async () => {
    const { server, rpc } = await rpcAgainst(
      evmNode({ calls: 1_000, bytes: 10_000 }, ({ params }) => ({ result: `${params}`.padEnd(500, ' ') })),
    );
    const { body } = await rpc.callMany(calls(200));
    expect(body.map((outcome) => 'result' in outcome && Number(outcome.result))).toEqual(
      Array.from({ length: 200 }, (_, i) => i),
    );
    expect(server.received.length).toBeLessThan(30);
  });

  test('shrink where a body is too large', async () => {
    const { rpc } = await rpcAgainst(evmNode({ calls: 1_000, bytes: 1e9, body: 5_000 }, echo));
    expect((await rpc.callMany(calls(500))).body[499]).toEqual({ result: 499 });
  });

  test('stay below five million bytes of body', async () => {
    const { server, rpc } = await rpcAgainst(evmNode({ calls: 1_000, bytes: 1e9 }, () => ({ result: 1 })));
    await rpc.callMany(Array.from({ length: 12 }, () => ({ method: 'x', params: ['a'.repeat(1_000_000)] })));
    expect(server.received).toHaveLength(3);
    expect(Math.max(...server.received.map(({ body }) => body.length))).toBeLessThanOrEqual(5_000_000);
  });

  test('shrink where an answer is larger than this side takes', async () => {
    const { rpc } = await rpcAgainst(
      evmNode({ calls: 1_000, bytes: 1e9 }, ({ params }) => ({ result: `${params}`.padEnd(900, ' ') })),
      { origin: { maxBytes: 10_000 } },
    );
    expect((await rpc.callMany(calls(50))).body).toHaveLength(50);
  });

  test('whose answers may be larger than this side takes have that as their outcome, and no outage', async () => {
    let isDown = false;
    const { rpc } = await rpcAgainst(
      (response, _, { body }) =>
        isDown ? response.writeHead(503).end() : json(response, 200, result(idOf(body), 'x'.repeat(20_000))),
      { batch: 1, origin: { maxBytes: 10_000 }, http: { retry: { attempts: 1 } } },
    );
    const one = { method: 'debug_traceBlockByNumber', params: [], mayExceed: true };
    expect((await rpc.callMany([one])).body).toMatchObject([{ error: { code: 0 } }]);
    expect((await failing(rpc.callMany([{ ...one, mayExceed: false }]))).context.reason).toBe('too_large');
    isDown = true;
    expect((await failing(rpc.callMany([one]))).code).toBe('unavailable');
  });

  test('shrink where an answer holds more values than this side takes', async () => {
    const many = Array.from({ length: 40_000 }, () => 0);
    const { server, rpc } = await rpcAgainst(evmNode({ calls: 1_000, bytes: 1e9 }, () => ({ result: many })));
    const { body } = await rpc.callMany(calls(20));
    expect(body.every((outcome) => 'result' in outcome && (outcome.result as unknown[]).length === 40_000)).toBe(true);
    // All at once, which is too much and not sent again, and then by halves.
    expect(server.received.length).toBeLessThan(6);
  });

  test('shrink where the server cuts off work that takes too long', async () => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = JSON.parse(body) as Call | Call[];
      if (Array.isArray(asked) && asked.length > 10) return void response.socket?.resetAndDestroy();
      const one = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...echo(call) });
      json(response, 200, Array.isArray(asked) ? asked.map(one) : one(asked));
    });
    expect((await rpc.callMany(calls(40))).body[39]).toEqual({ result: 39 });
    expect(server.received.length).toBeLessThan(20);
  });

  test.each([
    [-32700, 'json: cannot unmarshal array into Go value of type json2.serverRequest'],
    [-32005, 'Batched requests are not supported by this server'],
  ])('go one by one where batches are refused with an error (%i), and are not tried again', async (code, message) => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = JSON.parse(body) as Call | Call[];
      if (Array.isArray(asked)) return json(response, 200, error(null, code, message));
      json(response, 200, { jsonrpc: '2.0', id: asked.id, ...echo(asked) });
    });
    expect((await rpc.callMany(calls(20))).body).toEqual(calls(20).map((_, i) => ({ result: i })));
    expect(server.received).toHaveLength(21);
    await rpc.callMany(calls(5));
    expect(server.received).toHaveLength(26);
  });

  test.each([400, 405, 501])('go one by one where batches are refused with status %i', async (status) => {
    const { rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = JSON.parse(body) as Call | Call[];
      if (Array.isArray(asked)) return void response.writeHead(status).end('no batches');
      json(response, 200, { jsonrpc: '2.0', id: asked.id, ...echo(asked) });
    });
    expect((await rpc.callMany(calls(3))).body[2]).toEqual({ result: 2 });
  });

  const refusing = {
    'status 400': (response) => void response.writeHead(400).end('bad gateway day'),
    'one error for the whole batch': (response) => json(response, 200, error(null, -32600, 'invalid request')),
  } satisfies Record<string, (response: Parameters<Answer>[0]) => void>;
  test.each(Object.entries(refusing))(
    'go in batches on after a single %s, and one by one once it is the rule',
    async (_, refuse) => {
      let refusals = 0;
      const { server, rpc } = await rpcAgainst((response, _, { body }) => {
        const asked = JSON.parse(body) as Call | Call[];
        if (Array.isArray(asked) && refusals-- > 0) return refuse(response);
        const one = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...echo(call) });
        json(response, 200, Array.isArray(asked) ? asked.map(one) : one(asked));
      });
      const requests = async () => {
        const before = server.received.length;
        expect((await rpc.callMany(calls(100))).body[99]).toEqual({ result: 99 });
        return server.received.length - before;
      };
      expect(await requests()).toBe(1);
      refusals = 1;
      expect(await requests()).toBeLessThan(5);
      expect(await requests()).toBeLessThan(5);
      refusals = Number.POSITIVE_INFINITY;
      expect(await requests()).toBe(3 + 100);
      expect(await requests()).toBe(100);
    },
  );

  test('go one by one where that is known', async () => {
    const { server, rpc } = await rpcAgainst(evmNode({ calls: 0, bytes: 0 }, echo), { batch: 1 });
    await rpc.callMany(calls(5));
    expect(server.received.every(({ body }) => body.startsWith('{'))).toBe(true);
  });

  test.each([
    { code: -32000, message: 'genesis is not traceable' },
    { code: -32002, message: 'Archive, Debug and Trace requests are not available on your current plan.' },
  ])('have errors as outcomes: $code', async (failure) => {
    const { server, rpc } = await rpcAgainst(
      evmNode({ calls: 1_000, bytes: 1e9 }, (call) =>
        (call.params as number[])[0] === 1 ? { error: failure } : echo(call),
      ),
    );
    expect((await rpc.callMany(calls(3))).body).toEqual([{ result: 0 }, { error: failure }, { result: 2 }]);
    expect(server.received).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 405, 500, 501])(
    'have errors as outcomes though they come with status %i',
    async (status) => {
      const failure = { error: { code: -32601, message: 'the method does not exist/is not available' } };
      const { rpc } = await rpcAgainst(
        (response, _, { body }) => {
          const call = JSON.parse(body) as Call;
          const isRefused = (call.params as number[])[0] === 1;
          json(response, isRefused ? status : 200, {
            jsonrpc: '2.0',
            id: call.id,
            ...(isRefused ? failure : echo(call)),
          });
        },
        { batch: 1 },
      );
      expect((await rpc.callMany(calls(3))).body).toEqual([{ result: 0 }, failure, { result: 2 }]);
      expect((await failing(rpc.call('eth_noSuch', [1]))).code).toBe('not_offered');
    },
  );

  test.each([
    [400, true],
    [404, true],
    [405, true],
    [501, true],
    [401, false],
    [403, false],
    [500, false],
  ])('have an error of their own as outcome where it comes with status %i: %s', async (status, isTheirs) => {
    const failure = { error: { code: -32602, message: 'missing value for required argument 0' } };
    const { rpc } = await rpcAgainst(
      (response, _, { body }) => json(response, status, { jsonrpc: '2.0', id: idOf(body), ...failure }),
      { batch: 1, http: { retry: { attempts: 1 } } },
    );
    const outcomes = await rpc.callMany(calls(1)).then(
      ({ body }) => body,
      () => [],
    );
    expect(outcomes).toEqual(isTheirs ? [failure] : []);
  });

  test.each([
    [413, 'refused', /413 Payload Too Large/],
    [503, 'unavailable', /503 Service Unavailable/],
  ])(
    'have none where the status %i is about all of the request, whatever error comes with it',
    async (status, code, said) => {
      const { rpc } = await rpcAgainst(
        (response, _, { body }) => json(response, status, error(idOf(body), -32601, 'the method is not available')),
        { http: { retry: { attempts: 1 } } },
      );
      const failure = await failing(rpc.call('eth_blockNumber', []));
      expect([failure.code, failure.context.rpcMessage]).toEqual([code, undefined]);
      expect(failure.message).toMatch(said);
    },
  );

  test.each([
    { code: -32052, message: 'debug_x is not available on your current plan' },
    { code: -32002, message: 'Archive, Debug and Trace requests are not available on your current plan.' },
    { code: -32075, message: 'Method disabled, reason: restricted by blockchain schema' },
  ])('of which one is not on the plan ($code) are answered alone, and later ones in batches', async (failure) => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = [JSON.parse(body) as Call | Call[]].flat();
      if (asked.some(({ method }) => method === 'debug_x'))
        return json(response, 403, { jsonrpc: '2.0', id: body.startsWith('[') ? null : asked[0]?.id, error: failure });
      const answers = asked.map((call) => ({ jsonrpc: '2.0', id: call.id, ...echo(call) }));
      json(response, 200, body.startsWith('[') ? answers : answers[0]);
    });
    await rpc.callMany(calls(10));
    const mixed = calls(4).map((call, i) => (i === 2 ? { ...call, method: 'debug_x' } : call));
    expect((await rpc.callMany(mixed)).body).toEqual([{ result: 0 }, { result: 1 }, { error: failure }, { result: 3 }]);
    await rpc.callMany(calls(10));
    expect(server.received).toHaveLength(1 + (1 + 4) + 1);
  });

  test('that can be asked for in parts have as their outcome that there is no answer, and are not all asked in vain', async () => {
    const { server, rpc } = await rpcAgainst((response, _, { body }) => {
      const asked = [JSON.parse(body) as Call | Call[]].flat();
      if (asked.some(({ method }) => method === 'slow')) return void response.writeHead(504).end();
      const answers = asked.map((call) => ({ jsonrpc: '2.0', id: call.id, ...echo(call) }));
      json(response, 200, body.startsWith('[') ? answers : answers[0]);
    });
    const mixed = calls(40).map((call, i) => (i % 2 === 0 ? call : { ...call, method: 'slow', inParts: true }));
    const { body } = await rpc.callMany(mixed);
    const failure = { error: { code: 0, message: expect.stringContaining('answered 504') } };
    expect(body).toEqual(mixed.map((_, i) => (i % 2 === 0 ? { result: i } : failure)));
    expect(server.received.length).toBeLessThan(20);
    expect((await failing(rpc.callMany([{ method: 'slow', params: [] }]))).code).toBe('unavailable');
  });

  test.each([
    [-32000, 'cannot query unfinalized data'],
    [19, 'Temporary internal error. Please retry, trace-id: d13566ef'],
    [30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
  ])('are asked again where the error passes: %i, %s', async (code, message) => {
    let behind = 4;
    const { rpc } = await rpcAgainst(
      evmNode({ calls: 1_000, bytes: 1e9 }, (call) => {
        if (((call.params as number[])[0] as number) < 7) return echo(call);
        behind -= 1;
        return behind < 0 ? echo(call) : { error: { code, message } };
      }),
    );
    expect((await rpc.callMany(calls(10))).body).toEqual(calls(10).map((_, i) => ({ result: i })));
  });

  test.each(['the batch', 'those above', 'each with 200'])(
    'come from a provider that counts each of them by the second, and refuses %s without a time',
    { tags: 'long' },
    async (refuses) => {
      const clock = fakeClock();
      const perSecond = 25;
      let second = 0;
      let used = 0;
      let sent = 0;
      const { rpc } = await rpcAgainst(
        (response, _, { body }) => {
          const asked = [JSON.parse(body) as Call | Call[]].flat();
          const isBatch = body.startsWith('[');
          const now = Math.floor(clock.now() / 1_000);
          if (now > second) [second, used] = [now, 0];
          const free = Math.max(0, perSecond - used);
          used += asked.length;
          sent += asked.length;
          const refused = (id: unknown) => error(id, -32007, `${perSecond}/second request limit reached`);
          if (asked.length > free && refuses !== 'each with 200' && (refuses === 'the batch' || !isBatch))
            return json(response, 429, refused(null));
          const answers = asked.map((call, i) => (i < free ? { ...echo(call), id: call.id } : refused(call.id)));
          return json(response, 200, isBatch ? answers : answers[0]);
        },
        { http: { clock, random: () => 0.5 } },
      );
      const start = clock.now();
      for (let round = 0; round < 25; round++) {
        const many = await Promise.all(Array.from({ length: 4 }, () => rpc.callMany(calls(64))));
        for (const { body } of many) expect(body).toEqual(calls(64).map((_, i) => ({ result: i })));
      }
      const all = 25 * 4 * 64;
      expect((clock.now() - start) / 1_000).toBeLessThan((1.5 * all) / perSecond);
      expect(sent).toBeLessThan(2 * all);
    },
  );

  test('keep an error that should pass but does not, without asking for each of them', async () => {
    const failure = { error: { code: -32000, message: 'cannot query unfinalized data' } };
    const { server, rpc } = await rpcAgainst(
      evmNode({ calls: 1_000, bytes: 1e9 }, (call) =>
        ((call.params as number[])[0] as number) < 7 ? echo(call) : failure,
      ),
      { http: { retry: { attempts: 4 } } },
    );
    const { body } = await rpc.callMany(calls(10));
    expect(body.slice(7)).toEqual([failure, failure, failure]);
    expect(server.received).toHaveLength(1 + 4);
  });

  test('that are never answered by the rules break the contract', async () => {
    const { rpc } = await rpcAgainst((response) => json(response, 200, [result(99, 1), result(98, 1)]));
    expect((await failing(rpc.callMany(calls(3)))).code).toBe('contract');
  });

  test('a batch whose first answer is broken is asked again as it is', async () => {
    const { server, rpc } = await rpcAgainst((response, n, { body }) => {
      const answers = (JSON.parse(body) as Call[]).map((call) => result(call.id, 1));
      json(response, 200, n === 1 ? answers.slice(1) : answers);
    });
    expect((await rpc.callMany(calls(3))).body).toHaveLength(3);
    expect(server.received).toHaveLength(2);
  });

  test('fail together where the path is not offered or the key is wrong', async () => {
    const { rpc } = await rpcAgainst((response, n) => response.writeHead(n === 1 ? 404 : 401).end());
    expect((await failing(rpc.callMany(calls(3)))).code).toBe('not_offered');
    expect((await failing(rpc.callMany(calls(3)))).code).toBe('unauthorized');
  });

  test('are all answered, in order, by any server', { tags: 'long' }, async () => {
    const servers = fc.record({
      batch: fc.integer({ min: 0, max: 50 }),
      bytes: fc.integer({ min: 100, max: 5_000 }),
      body: fc.integer({ min: 200, max: 5_000 }),
      size: fc.integer({ min: 1, max: 300 }),
      errors: fc.integer({ min: 2, max: 20 }),
      count: fc.integer({ min: 0, max: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(servers, async ({ batch, bytes, body, size, errors, count }) => {
        const value = (i: number) =>
          i % errors === 0
            ? { error: { code: -32000, message: `no ${i}` } }
            : { result: `${i}`.padEnd((i * size) % 300, '.') };
        const { server, http, rpc } = await rpcAgainst(
          evmNode({ calls: batch, bytes, body }, ({ params }) => value((params as number[])[0] ?? 0)),
        );
        expect((await rpc.callMany(calls(count))).body).toEqual(calls(count).map((_, i) => value(i)));
        await http.close();
        await server.close();
      }),
      { numRuns: fuzzRuns(40) },
    );
  });
});
