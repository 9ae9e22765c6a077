import { z } from 'zod';
import type { Request } from '../../../src/core/requests/request.ts';
import type { LookupStream } from '../../../src/core/stream/stream.ts';
import { defineStream, int32, text } from '../../../src/index.ts';

/** Names of so many keys, in order. */
export const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${String(i + 10)}`);

export const get = (path: string): Request => ({ kind: 'get', path, weight: 1 });

/** Details of so many keys, each asked for by its name; `budget` at a run. */
export const detailsOf = (count: number) =>
  defineStream(
    { name: 'data', description: 'A source of tests.', numbers: 'lossless' },
    {
      name: 'details',
      description: 'Details of tests.',
      endpoint: 'GET /details',
      parameters: z.strictObject({}),
      partitions: () => [{ values: {} }],
      schema: z.object({ name: text('Key.'), size: int32('Size.') }),
      key: ['name'],
      way: 'lookup',
      keys: () =>
        `SELECT unnest([${keys(count)
          .map((key) => `'${key}'`)
          .join(', ')}]) AS "key"`,
      request: get,
      records: 'items',
    },
  ) as LookupStream;
