import { z } from 'zod';
import { defineStream, int64, type Source, text, tokenPages } from '../../src/index.ts';

/** A source that nothing but this file knows. */
export const exchange: Source = {
  name: 'exchange',
  description: 'Prices of coins.',
  numbers: 'text',
  probe: { chains: { path: '/markets', member: 'id' } },
};

export const prices = defineStream(exchange, {
  name: 'prices',
  description: 'Prices as the exchange lists them.',
  endpoint: 'GET /prices',
  parameters: z.strictObject({ coins: z.array(z.string()).min(1) }),
  partitionColumns: [{ name: 'coin', description: 'Coin.' }],
  partitions: ({ coins }) => coins.map((coin) => ({ values: { coin } })),
  schema: z.object({ day: int64('Days since 1970.'), price: text('Price as it was served, digit by digit.') }),
  key: ['coin', 'day'],
  way: 'snapshot',
  *pages({ values }) {
    yield* tokenPages((pageToken) => ({
      kind: 'get',
      path: '/prices',
      query: { coin: values['coin'], pageToken },
      weight: 7,
    }));
  },
  records: 'prices',
});
