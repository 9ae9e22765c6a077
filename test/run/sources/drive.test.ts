import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Reading } from '../../../src/core/requests/page.ts';
import type { Request, Response } from '../../../src/core/requests/request.ts';
import type { Advance } from '../../../src/core/stream/stream.ts';
import { answer, drive } from '../../../src/run/sources/drive.ts';

type Steps = Generator<Request | Reading<string> | Advance, string, string>;

const list = (path: string): Request => ({ kind: 'get', path, weight: 1 });

/** Drives a generator and writes down what happens; answers are the paths that are asked for, `/bad` is refused. */
async function driven(steps: () => Steps, stopAfter = Number.POSITIVE_INFINITY) {
  const log: string[] = [];
  const stop = new AbortController();
  const say = (what: string) => {
    if (log.push(what) === stopAfter) stop.abort();
  };
  const end = drive(steps(), {
    async fetch({ path }) {
      say(`send ${path}`);
      await Promise.resolve();
      if (path === '/bad') throw new FirnError('refused', 'bad');
      return { body: path, fetchedAt: 0, bytes: 0 };
    },
    give: (_, { body }) => String(body),
    read: async (page) => say(`read ${page}`),
    advance: ({ at }) => say(`at ${at}`),
    meanwhile: async () => say('commit'),
    signal: stop.signal,
  });
  return { end: await end.catch((error: Error) => error.message), log };
}

test('the next request is on its way while what was given before is committed; announced, while it is read', async () => {
  const { end, log } = await driven(function* (): Steps {
    const first = yield list('/1');
    yield { kind: 'advance', position: { at: 1 } };
    const second = yield list('/2');
    const third = list('/3');
    yield { kind: 'read', page: second, ahead: third };
    yield { kind: 'advance', position: { at: 2 } };
    const last = yield third;
    yield { kind: 'read', page: last };
    return `${first} ${second} ${last}`;
  });
  expect(end).toEqual({ value: '/1 /2 /3' });
  expect(log).toEqual([
    'send /1',
    'commit',
    'at 1',
    'send /2',
    'commit',
    'send /3',
    'read /2',
    'at 2',
    'commit',
    'read /3',
  ]);
});

test('a request that fails is thrown where it is waited for, and another way may be taken', async () => {
  const { end, log } = await driven(function* (): Steps {
    const bad = list('/bad');
    try {
      const page = yield list('/1');
      yield { kind: 'read', page, ahead: bad };
      yield { kind: 'advance', position: { at: 1 } };
      yield bad;
      return 'taken';
    } catch (error) {
      return `${(error as FirnError).code} ${yield list('/2')}`;
    }
  });
  expect(end).toEqual({ value: 'refused /2' });
  expect(log.slice(-4)).toEqual(['at 1', 'commit', 'send /2', 'commit']);
  expect(
    (
      await driven(function* (): Steps {
        return yield list('/bad');
      })
    ).end,
  ).toBe('bad');
});

test.each([
  ['nothing more is asked for', 3, ['send /1', 'commit', 'read /1', 'at 1']],
  ['what is under way is waited for', 4, ['send /1', 'commit', 'send /2', 'read /1', 'at 1', 'commit', 'read /2']],
])('once the signal is raised %s', async (_, stopAfter, expected) => {
  const isAnnounced = stopAfter === 4;
  const { end, log } = await driven(function* (): Steps {
    const page = yield list('/1');
    const next = list('/2');
    yield { kind: 'read', page, ahead: isAnnounced ? next : undefined };
    yield { kind: 'advance', position: { at: 1 } };
    const last = yield next;
    yield { kind: 'read', page: last, ahead: list('/3') };
    yield list('/3');
    return 'end';
  }, stopAfter);
  expect(end).toBeUndefined();
  expect(log).toEqual(expected);
});

test('what only asks is answered to its end', async () => {
  const asking = function* (): Generator<Request, unknown, Response> {
    return [(yield list('/1')).body, (yield list('/2')).body];
  };
  const fetch = async ({ path }: Request) => ({ body: path, fetchedAt: 0, bytes: 0 });
  expect(await answer(asking(), fetch)).toEqual(['/1', '/2']);
});

test.each<[object, string]>([
  [{ kind: 'get', weight: 1 }, `A request needs a "path", such as '/orders'.`],
  [
    { kind: 'get', path: '/1', weight: Number.NaN },
    'The "weight" of a request is a whole number of compute units, and cannot be NaN.',
  ],
  [
    { kind: 'get', path: '/1', weight: 0.3 },
    'The "weight" of a request is a whole number of compute units, and cannot be 0.3.',
  ],
  [
    { kind: 'get', path: '/1', weight: -5 },
    'The "weight" of a request is a whole number of compute units, and cannot be -5.',
  ],
])('%j is no request: nothing is sent', async (request, message) => {
  const { end, log } = await driven(function* (): Steps {
    return yield request as Request;
  });
  expect([end, log]).toEqual([message, []]);
});
