import { expect, test, vi } from 'vitest';
import { type FaultName, faultNames } from './faults.ts';
import { simulate } from './simulate.ts';
import type { SimulationOptions } from './simulation.ts';

// A machine that is busy with other work takes five times as long.
vi.setConfig({ testTimeout: 900_000 });

const seeds = 100;
/** The last of them list rows later than they date them, and are read by streams that look back; what they list is looked up. */
const late = {
  isLate: true,
  streams: [
    'data/latest_transactions',
    'data/address_transactions',
    'data/primary_transactions',
    'data/transaction_details',
  ],
};

/** Lives through all seeds; every fault must have met something. */
async function live(of: (seed: number) => Partial<SimulationOptions> & { readonly everyHours: number }) {
  const hits = new Map<FaultName, number>();
  for (let seed = 1; seed <= seeds; seed++) {
    const done = await simulate({ seed, days: 1, ...of(seed), ...(seed > 0.8 * seeds && late) });
    for (const [name, count] of done.hits) hits.set(name, (hits.get(name) ?? 0) + count);
  }
  expect(faultNames.filter((name) => !hits.has(name))).toEqual([]);
}

test(`${seeds} services and nodes with all that goes wrong, each read to the last row, and every fault met`, () =>
  // What is made anew must have been read before: some are read twice while things go wrong.
  live((seed) => ({ everyHours: seed > 72 && seed <= 84 ? 12 : 24, publishing: 0, isBrief: seed % 4 > 0 })));

test('so are they twice a day, some of them built and published', { tags: 'long' }, () =>
  live(() => ({ everyHours: 12 })),
);

test('a seed is the same each time', { tags: 'long' }, async () => {
  const told: string[][] = [[], []];
  for (const lines of told)
    await simulate({
      seed: 7,
      days: 1,
      everyHours: 12,
      tell: (line) => lines.push(line.replaceAll(/firn-sim-\w+/g, '')),
    });
  expect(told[0]).toEqual(told[1]);
  expect(told[0]).not.toEqual([]);
});
