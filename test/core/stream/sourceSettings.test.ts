import { expect, test } from 'vitest';
import { data } from '../../../pipelines/data-api/source.ts';
import { metrics } from '../../../pipelines/metrics-api/source.ts';
import { keyHeaderAt, type SourceSettings } from '../../../src/core/stream/sourceSettings.ts';

const [usual, hosted] = ['x-service-api-key', 'x-glacier-api-key'];

test.each<[string, Pick<SourceSettings, 'keyHeader'>, string]>([
  ['https://data-api.avax.network', {}, hosted],
  ['https://data-api.avax.network/', {}, hosted],
  ['https://DATA-API.avax.network:443', { keyHeader: usual }, hosted],
  ['https://glacier-api.avax.network', {}, hosted],
  ['https://data-api.avax.network', { keyHeader: 'x-own' }, 'x-own'],
  ['https://data.example', {}, usual],
  ['https://data.example/data-api.avax.network', { keyHeader: 'x-own' }, 'x-own'],
  ['http://data-api.avax.network', {}, usual],
  ['$' + '{env:FIRN_DATA_URL}', {}, usual],
])('the key of the data service at %s with %o goes in %s', (url, given, header) => {
  expect(keyHeaderAt({ url, ...given }, data.hosted)).toBe(header);
});

test.each([
  ['https://metrics.avax.network', hosted],
  ['https://metrics.example', usual],
])('the key of the metrics service at %s goes in %s', (url, header) => {
  expect(keyHeaderAt({ url }, metrics.hosted)).toBe(header);
});
