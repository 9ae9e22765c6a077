import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { wrongAnswer } from '../../../src/core/json/answerParts.ts';
import type { AskedPause } from '../../../src/core/requests/askedPause.ts';
import { rpcError } from '../../../src/extract/answers/rpcError.ts';
import { systemClock } from '../../../src/extract/clock.ts';
import { createContact } from '../../../src/extract/http/contact.ts';
import type { Http } from '../../../src/extract/http/http.ts';
import type { HttpRequest } from '../../../src/extract/http/sendOnce.ts';
import { createAskedPause } from '../../../src/extract/limits/askedPause.ts';
import { createLimiter, type Limiter } from '../../../src/extract/limits/limiter.ts';
import type { LimiterOptions } from '../../../src/extract/limits/limiterOptions.ts';
import { listening } from '../../listening.ts';
import { against, failing, openHttp } from '../against.ts';
import { type FakeClock, fakeClock } from '../fakeClock.ts';
import { type Answer, json } from '../localServer.ts';

/** Short enough for a test, long enough for a busy machine. */
const timeouts = { headers: 200, idle: 300, total: 800 };

const faults: Record<string, Answer> = {
  'a reset before the answer': (response) => response.socket?.resetAndDestroy(),
  'a reset in mid-answer': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a":', () => response.socket?.resetAndDestroy());
  },
  'a connection closed without an answer': (response) => response.socket?.destroy(),
  'fewer bytes than announced': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a":1}', () => response.socket?.end());
  },
  'a last chunk that never comes': (response) => {
    response.writeHead(200).write('{"a":1}', () => response.socket?.end());
  },
  'a last chunk that never comes, on a connection that was to be closed': (response) => {
    response.writeHead(200, { connection: 'close' }).write('{"a":1', () => response.socket?.end());
  },
  'compressed data that is cut': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('[1,2,3,4,5,6,7,8,9]').subarray(0, -6));
  },
  'compressed data that is damaged': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('this was never compressed');
  },
  'something that is not HTTP': (response) => response.socket?.end('hello, who is there?\r\n\r\n'),
  'no answer at all': () => {},
  'an answer that stalls': (response) => {
    response.writeHead(200).write('{"a":');
  },
  'an answer that drips for ever': (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  },
};

/** Tries all of them at once: some are waited for. */
const ofEach = (work: (name: string, fault: Answer) => Promise<void>) =>
  Promise.all(Object.entries(faults).map(([name, fault]) => work(name, fault)));

describe('whatever goes wrong', () => {
  test('is tried again', async () => {
    await ofEach(async (name, fault) => {
      const { server, http } = await against(
        (response, n, received) => (n === 1 ? fault(response, n, received) : json(response, 200, [1])),
        { timeouts },
      );
      expect((await http.get('/v1/x')).body, name).toEqual([1]);
      expect(server.received.length, name).toBeGreaterThan(1);
      expect(http.stats().retries, name).toBe(server.received.length - 1);
    });
  });

  test('becomes a sentence when it stays', async () => {
    await ofEach(async (name, fault) => {
      const { server, http } = await against(fault, { timeouts }, { retry: { attempts: 2 } });
      const error = await failing(http.get('/v1/x'));
      expect(['unavailable', 'contract'], name).toContain(error.code);
      expect(error.retryable, name).toBe(true);
      expect(error.message, name).toContain(`GET ${server.url}/v1/x `);
      expect(error.message, name).toMatch(/(?:Run again later|run again later).*Tried 2 times\.$/);
      expect(server.received, name).toHaveLength(2);
    });
  });
});

test.each<[string, Answer, HttpRequest['inspect'] | undefined]>([
  ['a status', (response) => json(response, 503, {}), undefined],
  ['a status in the body', (response) => json(response, 200, { statusCode: 503, message: 'later' }), undefined],
  ['no JSON', (response) => response.end('<html>'), undefined],
  ['nothing', (response) => json(response, 200, null), undefined],
  ['an error of JSON-RPC', (response) => json(response, 200, {}), () => rpcError('it', { code: -32002, message: '' })],
  ['something else', (response) => json(response, 200, {}), () => wrongAnswer({}, 'list')],
])('%s is told without the advice to run again, for as long as it is asked again', async (_, answer, inspect) => {
  const told: string[] = [];
  const log = { debug: () => {}, warn: (_: unknown, message: string) => told.push(message) };
  const { http } = await against(answer, {}, { log, retry: { attempts: 2 } });
  const error = await failing(http.send({ method: 'GET', path: '/', inspect }));
  expect(error.message).toMatch(/run again later.* Tried 2 times\.$/i);
  expect(told).toEqual([expect.stringMatching(/^(?!.*run again).* Trying again in \d\.\d s\.$/i)]);
});

describe('a server that is not there', () => {
  test('is unavailable, with what to check', async () => {
    const { server, http } = await against(() => {});
    await server.close();
    const error = await failing(http.get('/v1/x'));
    expect(error).toMatchObject({
      code: 'unavailable',
      context: { reason: 'unreachable', transport: 'ECONNREFUSED' },
    });
    expect(error.message).toMatch(
      /nothing answers at that address \(ECONNREFUSED\)\. Check that the URL of this source is right/,
    );
  });

  test('is known to all after the attempts of one, within 10 s, and told once', async () => {
    const told: string[] = [];
    const log = { debug: () => {}, warn: (_: unknown, message: string) => told.push(message) };
    const contact = createContact(fakeClock());
    const { server, http, clock } = await against(() => {}, {}, { log, contact });
    await server.close();
    const begun = clock.now();
    const errors = await Promise.all(['/a', '/b', '/c'].map((path) => failing(http.get(path))));
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    expect(clock.now() - begun).toBeLessThanOrEqual(10_000);
    expect(told).toEqual([expect.stringMatching(/ at that address \(ECONNREFUSED\)\. Trying again in \d\.\d s\.$/)]);
    const { requests } = http.stats();
    const other = openHttp({ origin: { url: server.url }, clock, contact });
    expect(await failing(other.get('/v2'))).toMatchObject({ message: errors[0]?.message });
    expect([http.stats().requests, other.stats().requests]).toEqual([requests, 0]);
  });

  test('is asked again a minute later', async () => {
    const { server, http, clock } = await against(() => {});
    await server.close();
    await failing(http.get('/a'));
    const late = createServer((_, response) => response.end('{"here":true}'));
    onTestFinished((await listening(late, Number(new URL(server.url).port))).close);
    clock.advance(60_000);
    expect((await http.get('/c')).body).toEqual({ here: true });
  });

  test('and comes while it is asked is waited for', async () => {
    const { server, http } = await against(() => {});
    await server.close();
    const late = createServer((_, response) => response.end('{"here":true}'));
    const asked = Promise.all([http.get('/a'), http.get('/b')]);
    onTestFinished((await listening(late, Number(new URL(server.url).port))).close);
    expect((await asked).map(({ body }) => body)).toEqual([{ here: true }, { here: true }]);
  });

  test('is tried by the next request where the first one is never sent', async () => {
    const contact = createContact(fakeClock());
    const refused = new FirnError('rate_limited', 'The quota of the day is used up.');
    const limiter = (options: LimiterOptions): Limiter => ({
      ...createLimiter(options),
      run: () => Promise.reject(refused),
    });
    const { server, http } = await against((response) => json(response, 200, {}), {}, { contact, limiter });
    const other = openHttp({ origin: { url: server.url }, clock: fakeClock(), contact });
    await failing(http.get('/'));
    expect((await other.get('/')).body).toEqual({});
  }, 10_000);

  test('at a name that does not exist is unavailable too', async () => {
    const http = openHttp({
      origin: { url: 'http://no-such-host.invalid' },
      clock: fakeClock(),
      retry: { attempts: 1 },
    });
    expect(await failing(http.get('/'))).toMatchObject({ code: 'unavailable', context: { reason: 'unreachable' } });
  });
});

describe('statuses', () => {
  test.each([408, 409, 425, 429, 500, 502, 503, 504, 520])('%i is tried again', async (status) => {
    const { http } = await against((response, n) =>
      n < 3 ? response.writeHead(status).end('<html>busy</html>') : json(response, 200, {}),
    );
    await http.get('/');
    expect(http.stats()).toMatchObject({ requests: 3, retries: 2 });
  });

  test.each([301, 400, 401, 403, 404, 405, 413, 415, 418, 501, 505])('%i is not', async (status) => {
    const { http } = await against((response) => response.writeHead(status).end());
    await failing(http.get('/'));
    expect(http.stats()).toMatchObject({ requests: 1, retries: 0 });
  });
});

describe('waiting', () => {
  const at = (clock: FakeClock, ms: number) => new Date(clock.now() + ms);
  const asctime = (date: Date) => {
    const [day, dayOfMonth, month, year, time] = date.toUTCString().split(/,? /);
    return `${day} ${month} ${dayOfMonth} ${time} ${year}`;
  };
  const rfc850 = (date: Date) => {
    const [, dayOfMonth, month, year, time] = date.toUTCString().split(/,? /);
    return `Tuesday, ${dayOfMonth}-${month}-${year?.slice(2)} ${time} GMT`;
  };
  const forms: [string, (clock: FakeClock) => Record<string, string>, number][] = [
    ['seconds', () => ({ 'retry-after': '17' }), 17_000],
    ['zero seconds', () => ({ 'retry-after': '0' }), 0],
    ['an HTTP date', (clock) => ({ 'retry-after': at(clock, 17_000).toUTCString() }), 17_000],
    ['an old HTTP date', (clock) => ({ 'retry-after': rfc850(at(clock, 17_000)) }), 17_000],
    ['the oldest HTTP date', (clock) => ({ 'retry-after': asctime(at(clock, 17_000)) }), 17_000],
    [
      'a date by another clock',
      (clock) => ({ date: at(clock, 3_600_000).toUTCString(), 'retry-after': at(clock, 3_617_000).toUTCString() }),
      17_000,
    ],
    ['a date that has passed', (clock) => ({ 'retry-after': at(clock, -5_000).toUTCString() }), 0],
    ['the reset of the quota', () => ({ 'ratelimit-reset': '17', 'ratelimit-remaining': '0' }), 17_000],
    // One that does not say counts by the second, as most do.
    ['nonsense', () => ({ 'retry-after': 'soon' }), 1_000],
    ['nothing', () => ({}), 1_000],
  ];
  test.each(forms)('a 429 with %s is waited for as it asks, and a little', async (_, headers, asked) => {
    const clock = fakeClock();
    // The response date is that of the test's clock unless a case says otherwise.
    const { http } = await against(
      (response, n) => {
        response.sendDate = false;
        if (n === 1) json(response, 429, { message: 'slow down' }, headers(clock));
        else json(response, 200, {});
      },
      {},
      { clock },
    );
    const start = clock.now();
    await http.get('/');
    const waited = clock.now() - start;
    expect(waited).toBeGreaterThanOrEqual(asked);
    expect(waited).toBeLessThanOrEqual(asked + 250);
    expect(http.stats().waitedMs).toBe(waited);
  });

  test('longer than wanted ends the request at once', async () => {
    const { server, http, clock } = await against((response) =>
      json(response, 429, { message: 'slow down' }, { 'retry-after': '3600' }),
    );
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code: 'rate_limited', context: { retryAfterMs: 3_600_000 } });
    expect(error.message).toContain('It asks to wait 3600 s, which is too long.');
    expect(await failing(http.get('/'))).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(server.received).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  test.each(['100000000000000000000', 'Sat, 13 Sep 275760 00:00:00 GMT'])(
    'of %s is taken for a day, and said',
    async (wait) => {
      const { server, http } = await against((response) => json(response, 503, {}, { 'retry-after': wait }));
      const error = await failing(http.get('/'));
      expect(error).toMatchObject({ code: 'unavailable', context: { retryAfterMs: 86_400_000 } });
      expect(error.message).toContain(`It asks to wait for more than a day: "${wait}"; this counts as one day.`);
      // What comes after it says until when.
      expect((await failing(http.get('/'))).message).toMatch(/asks for no requests until 20.* Run again after that/);
      expect(server.received).toHaveLength(1);
    },
  );

  test('doubles its limit with every attempt', async () => {
    const { http, clock } = await against(
      (response) => response.writeHead(500).end(),
      {},
      { retry: { attempts: 5, baseMs: 100, capMs: 350 } },
    );
    await failing(http.get('/'));
    expect(clock.slept).toEqual([50, 100, 175, 175]);
  });

  test('ends when the retry budget is used up', async () => {
    let fail = true;
    const { http, server } = await against((response) =>
      fail ? response.writeHead(429).end() : json(response, 200, {}),
    );
    const errors: FirnError[] = [];
    for (let i = 0; i < 10; i += 1) errors.push(await failing(http.get('/')));
    expect(server.received).toHaveLength(10 + 50);
    expect(errors.at(-1)?.message).toContain('Not tried again, because too many requests are failing.');
    fail = false;
    await http.get('/');
    await http.get('/');
    fail = true;
    await failing(http.get('/'));
    expect(server.received).toHaveLength(10 + 50 + 2 + 2);
  });
});

test('the limiter is told what a request weighs, and whether it was sent before', async () => {
  const told: unknown[] = [];
  const limiter = (options: LimiterOptions): Limiter => {
    const made = createLimiter(options);
    const run: Limiter['run'] = (weight, task, how) => {
      told.push([weight, how?.again]);
      return made.run(weight, task, how);
    };
    return { ...made, run };
  };
  const answer: Answer = (response, n) => (n === 1 ? response.writeHead(500).end() : json(response, 200, {}));
  const { http } = await against(answer, {}, { limiter });
  await http.get('/');
  await http.get('/', {}, 5);
  expect(told).toEqual([
    [1, false],
    [1, true],
    [5, false],
  ]);
});

describe('a request that must not be carried out twice', () => {
  const send = (http: Pick<Http, 'send'>) =>
    http.send({ method: 'POST', path: '/v1/operations', body: {}, idempotent: false });

  test.each(['a reset before the answer', 'no answer at all', 'fewer bytes than announced'])(
    'is not sent again after %s',
    async (name) => {
      const { server, http } = await against(faults[name] as Answer, { timeouts });
      const error = await failing(send(http));
      expect(error.message).toContain('Not sent again, because the server may have carried it out.');
      expect(server.received).toHaveLength(1);
    },
  );

  test.each([500, 503])('is not sent again after a %i', async (status) => {
    const { server, http } = await against((response) => response.writeHead(status).end());
    await failing(send(http));
    expect(server.received).toHaveLength(1);
  });

  test('is sent again after a 429, and when it never reached the server', async () => {
    const { http } = await against((response, n) =>
      n === 1 ? response.writeHead(429).end() : json(response, 201, { operationId: 'x' }),
    );
    expect((await send(http)).body).toEqual({ operationId: 'x' });
    const gone = await against(() => {});
    await gone.server.close();
    const { context } = await failing(send(gone.http));
    expect(context['attempts']).toBeGreaterThan(1);
  });
});

describe('the breaker', () => {
  test('opens when everything fails, tries with one request, and closes when that is answered', async () => {
    let broken = true;
    let running = 0;
    let mostWhileOpen = 0;
    const { server, http } = await against((response, n) => {
      running += 1;
      // Ten failures open it, and three more requests may be under way by then.
      if (n === 14) mostWhileOpen = running;
      setImmediate(() => {
        running -= 1;
        if (n === 14) broken = false;
        if (broken) response.writeHead(503).end();
        else json(response, 200, {});
      });
    });
    await Promise.all(Array.from({ length: 6 }, () => http.get('/')));
    expect(server.received.length).toBeGreaterThan(14);
    expect(mostWhileOpen).toBe(1);
  });

  test('refuses at once after two minutes without an answer', async () => {
    const { server, http, clock } = await against(
      (response) => json(response, 200, {}),
      {},
      { retry: { attempts: 50 } },
    );
    await http.get('/');
    await server.close();
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({ code: 'unavailable', context: { reason: 'breaker_open' } });
    expect(error.message).toMatch(/has given no usable answer for \d+ min \(last: http.*ECONNREFUSED.*run again/);
    const start = clock.now();
    expect(await failing(http.get('/'))).toMatchObject({ context: { reason: 'breaker_open' } });
    expect(clock.now()).toBe(start);
  });

  test.each<[string, Answer]>([
    ['answers with an error', (response) => response.writeHead(500).end()],
    ['drops its connections', (response) => response.socket?.resetAndDestroy()],
  ])('holds back the part that %s, and no other', async (_, fails) => {
    const { server, http, clock } = await against((response, n, request) =>
      request.url === '/ext/bc/C/rpc' ? fails(response, n, request) : json(response, 200, {}),
    );
    const asks = (path: string) => http.send({ method: 'POST', path, body: {}, attempts: 1 });
    for (let i = 0; i < 10; i += 1) await failing(asks('/ext/bc/C/rpc'));
    for (const path of ['/ext/index/C/block', '/ext/bc/P']) await asks(path);
    expect([server.received.length, clock.slept]).toEqual([12, []]);
    await failing(asks('/ext/bc/C/rpc'));
    expect([clock.slept, http.stats().waitedMs]).toEqual([[2_000], 2_000]);
  });

  test('leaves the other parts their retries', async () => {
    const { http } = await against((response, n, { url }) =>
      url === '/ext/bc/C/rpc' || (url === '/ext/bc/P' && n % 2 === 0)
        ? response.writeHead(500).end()
        : json(response, 200, {}),
    );
    for (let i = 0; i < 12; i += 1) await failing(http.send({ method: 'POST', path: '/ext/bc/C/rpc', body: {} }));
    for (let i = 0; i < 4; i += 1) await http.send({ method: 'POST', path: '/ext/bc/P', body: {} });
  });

  test('waits no longer where the clock is set back', async () => {
    const { http, clock } = await against((response, n) =>
      n <= 10 ? response.writeHead(503).end() : json(response, 200, {}),
    );
    for (let i = 0; i < 10; i += 1) await failing(http.send({ method: 'GET', path: '/', attempts: 1 }));
    clock.advance(-3_600_000);
    await http.get('/');
    expect(clock.slept).toEqual([2_000]);
  });

  test('lets another request try when the one that tried ended in an error of its own', async () => {
    const { http, clock } = await against((response, n) =>
      n <= 10 ? response.writeHead(503).end() : json(response, 200, {}),
    );
    for (let i = 0; i < 10; i += 1) await failing(http.send({ method: 'GET', path: '/', attempts: 1 }));
    clock.advance(2_000);
    const check = () => {
      throw new TypeError('a mistake in a declaration');
    };
    await expect(http.send({ method: 'GET', path: '/', check })).rejects.toThrow('a mistake');
    await http.get('/');
    expect(clock.slept).toEqual([]);
  });

  test.each<[string, Answer]>([
    ['an answer', (response) => json(response, 200, {})],
    ['a broken connection', (response) => response.socket?.resetAndDestroy()],
  ])('counts a server that cannot be reached anew after %s', async (_, comes) => {
    const { server, http, clock } = await against((response) => json(response, 200, {}));
    await http.get('/');
    const ask = () => http.send({ method: 'GET', path: '/', attempts: 1 });
    await server.close();
    for (let i = 0; i < 9; i += 1) await failing(ask());
    const back = createServer((request, response) => comes(response, 1, request as never));
    const { close } = await listening(back, Number(new URL(server.url).port));
    await ask().catch(() => {});
    await close();
    for (let i = 0; i < 9; i += 1) await failing(ask());
    expect(clock.slept).toEqual([]);
  });

  test.each([404, 408, 501])('does not open for answers that are errors of the request: %i', async (status) => {
    const { server, http, clock } = await against((response) => json(response, status, { message: 'no' }));
    for (let i = 0; i < 30; i += 1) await failing(http.send({ method: 'GET', path: '/', attempts: 1 }));
    expect(server.received).toHaveLength(30);
    expect(clock.slept).toEqual([]);
  });
});

describe('what more is known of a failure', () => {
  const meant = new FirnError('unavailable', 'The node is still bootstrapping.');
  const explain = async (path: string) => (path === '/ext/bc/P' ? meant : undefined);

  test.each([404, 503])('takes the place of a %i, which is not tried again', async (status) => {
    const { server, http } = await against((response) => response.writeHead(status).end(), {}, { explain });
    expect(await failing(http.get('/ext/bc/P'))).toBe(meant);
    expect(server.received).toHaveLength(1);
    expect((await failing(http.get('/ext/bc/X'))).context.status).toBe(status);
  });
});

describe('a Retry-After', () => {
  const refusing =
    (seconds: string): Answer =>
    (response, n) =>
      n === 1 ? response.writeHead(429, { 'retry-after': seconds }).end() : json(response, 200, {});

  test('is durable before the wait begins', async () => {
    const clock = fakeClock();
    const events: string[] = [];
    const sleep = (ms: number) => {
      events.push('wait');
      return clock.sleep(ms);
    };
    const onPause = async ({ saidAt, until }: AskedPause) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      events.push(`noted ${until - saidAt}`);
    };
    const { http } = await against(
      refusing('40'),
      {},
      { clock: { ...clock, sleep }, pause: createAskedPause(undefined, onPause) },
    );
    await Promise.all([http.get('/a'), http.get('/b')]);
    expect(events.slice(0, 2)).toEqual(['noted 40000', 'wait']);
  });

  test('that is too long to wait for is durable too', async () => {
    const noted: AskedPause[] = [];
    const pause = createAskedPause(undefined, async (said) => void noted.push(said));
    const { http } = await against(refusing('4000'), {}, { pause });
    expect(await failing(http.get('/'))).toMatchObject({ code: 'rate_limited' });
    expect(noted.map(({ saidAt, until }) => until - saidAt)).toEqual([4_000_000]);
  });

  test.each([
    ['is waited out by the next run', -10_000, 30_000, [30_000]],
    ['is over when its time is', -60_000, -20_000, []],
    ['is no longer where the clock was set back', 7_200_000, 7_240_000, [40_000]],
  ])('of an earlier run %s', async (_, said, until, slept) => {
    const clock = fakeClock();
    const now = clock.now();
    const pause = createAskedPause({ saidAt: now + said, until: now + until });
    const { http } = await against((response) => json(response, 200, {}), {}, { clock, pause });
    await http.get('/');
    expect(clock.slept).toEqual(slept);
  });

  test('of an earlier run that is too long to wait for ends a request before it is sent, and says until when', async () => {
    const clock = fakeClock();
    const pause = createAskedPause({ saidAt: clock.now(), until: clock.now() + 3_600_000 });
    const { server, http } = await against((response) => json(response, 200, {}), {}, { clock, pause });
    const error = await failing(http.get('/'));
    expect(error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('until 2026-01-20T13:00:00'),
    });
    expect(server.received).toEqual([]);
  });
});

describe('quotas', () => {
  test('that shrink in mid-run are followed without a refusal', async () => {
    const clock = fakeClock();
    let used: number[] = [];
    let refused = 0;
    const { http } = await against(
      (response, n) => {
        const limit = n <= 5 ? 1_000 : 100;
        used = used.filter((at) => at > clock.now() - 60_000);
        const ok = (used.length + 1) * 20 <= limit;
        if (ok) used.push(clock.now());
        else refused += 1;
        const headers = {
          'ratelimit-limit': String(limit),
          'ratelimit-remaining': String(Math.max(0, limit - used.length * 20)),
          'ratelimit-policy': `${limit};w=60`,
        };
        json(response, ok ? 200 : 429, {}, ok ? headers : { ...headers, 'retry-after': '60' });
      },
      { concurrency: 1 },
      { clock },
    );
    for (let i = 0; i < 30; i += 1) await http.get('/', {}, 20);
    expect(refused).toBe(1);
    expect(http.stats()).toMatchObject({ requests: 31, computeUnits: 31 * 20 });
  });

  test('of a day are counted on from the state, and end the run at once', async () => {
    const { server, http, clock } = await against(
      (response) => json(response, 200, {}),
      { quota: { perDay: 100 } },
      { usedToday: { day: '2026-01-20', used: 50 } },
    );
    await http.get('/', {}, 20);
    await http.get('/', {}, 20);
    expect(await failing(http.get('/', {}, 20))).toMatchObject({
      code: 'rate_limited',
      context: { reason: 'daily_quota' },
    });
    expect(http.usage()).toEqual({ day: '2026-01-20', used: 90 });
    expect(server.received).toHaveLength(2);
    expect(clock.slept).toEqual([]);
  });
});

describe('an abort', () => {
  const stopped = new FirnError('interrupted', 'Stopped by SIGTERM.', { context: { signal: 'SIGTERM' } });

  test('before anything is sent sends nothing', async () => {
    const { server, http } = await against(
      (response) => json(response, 200, {}),
      {},
      { signal: AbortSignal.abort(stopped) },
    );
    expect(await failing(http.get('/'))).toBe(stopped);
    expect(server.received).toHaveLength(0);
  });

  test.each(['no answer at all', 'an answer that stalls'])('ends a request with %s', async (name) => {
    const abort = new AbortController();
    const { http } = await against(
      (response, n, received) => {
        (faults[name] as Answer)(response, n, received);
        setTimeout(() => abort.abort(stopped), 20);
      },
      {},
      { signal: abort.signal },
    );
    expect(await failing(http.get('/'))).toBe(stopped);
    expect(http.stats()).toMatchObject({ requests: 1, retries: 0 });
  });

  test('ends the wait that the server asked for', async () => {
    const abort = new AbortController();
    const clock: FakeClock = fakeClock();
    const waiting = {
      ...clock,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    };
    const { server, http } = await against(
      (response) => response.writeHead(429, { 'retry-after': '60' }).end(),
      {},
      { signal: abort.signal, clock: waiting },
    );
    const requests = [http.get('/1'), http.get('/2'), http.get('/3')].map(failing);
    setTimeout(() => abort.abort(stopped), 100);
    for (const error of await Promise.all(requests)) expect(error).toBe(stopped);
    expect(server.received.length).toBeLessThanOrEqual(3);
  });

  test('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    const heard = new Set<AbortSignal>([signal]);
    const limiter = (options: LimiterOptions): Limiter => {
      const made = createLimiter(options);
      const run: Limiter['run'] = (weight, task, how) => {
        if (how?.signal) heard.add(how.signal);
        return made.run(weight, task, how);
      };
      return { ...made, run };
    };
    const { http } = await against(
      (response, n) => (n % 2 ? response.writeHead(500).end() : json(response, 200, {})),
      {},
      { signal, limiter },
    );
    const listeners = () => [...heard].map((one) => getEventListeners(one, 'abort').length);
    const before = listeners();
    for (let i = 0; i < 5; i += 1) await http.get('/');
    expect(listeners()).toEqual([...before, 0]);
    await http.close();
    expect(listeners()).toEqual([0, 0]);
  });
});

test('closing ends what waits to be sent again', async () => {
  const clock = { ...fakeClock(), sleep: systemClock.sleep };
  const { server, http } = await against(
    (response) => response.writeHead(429, { 'retry-after': '60' }).end(),
    {},
    { clock },
  );
  const requests = ['/1', '/2'].map((path) => failing(http.get(path)));
  await expect.poll(() => server.received.length).toBe(2);
  await http.close();
  for (const error of await Promise.all(requests)) expect(error).toMatchObject({ code: 'interrupted' });
});

test('closing drops what is under way, and tells of no other try', async () => {
  const log = { debug: () => {}, warn: vi.fn() };
  const { http } = await against((response): void => void setTimeout(() => response.writeHead(200), 10), {}, { log });
  const request = failing(http.get('/'));
  setTimeout(() => http.close(), 50);
  expect((await request).code).toBe('interrupted');
  expect(log.warn).not.toHaveBeenCalled();
});

test('many requests at once are all answered, in at most as many connections as allowed', async () => {
  // Node takes many listeners of one signal for a leak, unless it is told.
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { server, http } = await against((response) => json(response, 200, {}), {
    concurrency: 4,
  });
  await Promise.all(Array.from({ length: 200 }, () => http.get('/')));
  expect(server.received).toHaveLength(200);
  expect(server.connections()).toBeLessThanOrEqual(4);
  expect(http.stats()).toMatchObject({ requests: 200, retries: 0, concurrency: 4 });
  expect(warned).not.toHaveBeenCalled();
});
