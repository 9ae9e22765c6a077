import { expect, test } from 'vitest';
import { presetSources } from '../../../src/cli/init/presets.ts';

test.each([
  [{ preset: 'hosted' as const }, 'x-glacier-api-key'],
  [{ data: 'https://data-api.avax.network/' }, 'x-glacier-api-key'],
  [{ data: 'https://glacier-api.avax.network' }, 'x-glacier-api-key'],
  [{ data: 'https://data.example' }, 'x-service-api-key'],
])('the data service that %o names takes its key in the header %s', (given, keyHeader) => {
  expect(presetSources(given).data?.keyHeader).toBe(keyHeader);
});
