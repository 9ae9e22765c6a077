import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../pipelines/index.ts';
import type { Stream } from '../../src/core/stream/stream.ts';
import { Configurations } from './drawConfigurations.ts';
import { optionValues } from './optionValues.ts';
import { createRandom } from './random.ts';
import { recordedNames } from './simulateLedger.ts';

const options = catalogue.flatMap((stream) =>
  Object.keys(stream.parameters.shape).map((option) => ({ name: `${stream.id}: ${option}`, stream, option })),
);

test('every option of every stream has several values to draw', async () => {
  const valuesOf = optionValues(await recordedNames());
  const random = createRandom(1);
  for (const { name, stream, option } of options) {
    const draw = valuesOf(stream, option);
    const values = new Set(Array.from({ length: 40 }, () => JSON.stringify(draw?.(random))));
    expect({ name, areSeveral: values.size > 1 }).toEqual({ name, areSeveral: true });
  }
});

test('an option of which nothing says what it may be has none', async () => {
  const valuesOf = optionValues(await recordedNames());
  const [stream] = catalogue as [Stream];
  const parameters = z.strictObject({ novel: z.string(), listed: z.enum(['one', 'other']).optional() });
  expect(valuesOf({ ...stream, parameters }, 'novel')).toBe(undefined);
  expect(valuesOf({ ...stream, parameters }, 'listed')?.(createRandom(1))).toMatch(/one|other/);
});

test('every option is drawn', { tags: 'long' }, async () => {
  const named = await recordedNames();
  const drawn = new Set<string>();
  for (const { id } of catalogue)
    for (let seed = 1; seed <= 20; seed++) {
      const configurations = new Configurations(named, createRandom(seed), [id]);
      for (let i = 0; i < 3; i++)
        for (const { streams } of Object.values(configurations.next().pipelines))
          for (const option of Object.keys(streams[id] ?? {})) drawn.add(`${id}: ${option}`);
    }
  expect(options.map(({ name }) => name).filter((name) => !drawn.has(name))).toEqual([]);
});
