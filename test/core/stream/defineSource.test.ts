import { expect, test } from 'vitest';
import { defineSource } from '../../../src/core/stream/defineSource.ts';
import { settingsSchema } from '../../../src/run/settings.ts';

const prices = { name: 'prices', description: 'Prices.' };
const own = {
  url: 'http://own.example',
  quota: { perMinute: 60 },
  headers: { accept: 'text/json' },
  keyHeader: 'x-own',
};
const keyHeader = 'x-service-api-key';

/** What is configured of the source, given what it says of itself and what stands in the file. */
function configured(declared: object, given?: object | null) {
  const schema = settingsSchema([defineSource({ ...prices, ...declared })]);
  return schema.parse({ sources: given === undefined ? {} : { prices: given }, pipelines: {} }).sources['prices'];
}

test.each<[string, object, object | null | undefined, object | undefined]>([
  ['what it says of itself is enough', own, undefined, own],
  ['its name alone is as if nothing stood there', own, null, own],
  ['the file says the URL', {}, { url: 'http://a.example' }, { url: 'http://a.example', keyHeader }],
  [
    'the file comes first, member by member',
    own,
    { url: 'http://a.example', key: 'k' },
    { ...own, url: 'http://a.example', key: 'k' },
  ],
  ['nobody says where it is', {}, undefined, undefined],
])('%s', (_, declared, given, settings) => {
  expect(configured(declared, given)).toEqual(settings);
});

test('what cannot be is refused', () => {
  expect(() => configured({}, { key: 'k' })).toThrow(/url/);
  expect(() => configured({}, { url: 'http://a.example', network: 'fuji' })).toThrow(/network/);
  for (const name of ['', 'Prices', '1st', 'a-b', 'a/b'])
    expect(() => defineSource({ ...prices, name })).toThrow(/small letters/);
  expect(() => defineSource({ ...prices, url: 'own.example:8080' })).toThrow(/prices: "url": write a URL that begins/);
  expect(() => defineSource({ ...prices, quota: { perDay: -1 } })).toThrow(/prices: "quota\.perDay"/);
});

test('numbers are exact unless their digits are wanted', () => {
  expect(defineSource(prices).numbers).toBe('lossless');
  expect(defineSource({ ...prices, numbers: 'text' }).numbers).toBe('text');
});

test('a source has a name that begins the names of tables', () => {
  for (const name of [undefined, 'Prices', 'my prices', 'constructor'])
    expect(() => defineSource({ ...prices, name: name as string })).toThrow(/a source cannot be called "/);
});
