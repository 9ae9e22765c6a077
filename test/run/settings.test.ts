import { expect, test } from 'vitest';
import { sources as declared } from '../../pipelines/index.ts';
import { settingsSchema } from '../../src/run/settings.ts';

const withHost = (host: string) =>
  settingsSchema(declared).safeParse({
    sources: { data: { url: 'https://data.example', downloadHosts: [host] } },
    pipelines: {},
  });

test.each(['storage.example.com', 'STORAGE', 'localhost', '10.0.0.7', '[fd00::1]', 'bücher.example'])(
  'files may be fetched from %s when that is named',
  (host) => expect(withHost(host).error?.issues).toBeUndefined(),
);

test.each([
  'https://storage.example.com',
  'storage.example.com/',
  'storage.example.com:443',
  'user@storage.example.com',
  '*.example.com',
  'fd00::1',
  '[storage]',
  'a b',
  '1.2.3.400',
  '',
])('%j is no host to fetch from', (host) => {
  expect(withHost(host).error?.issues[0]).toMatchObject({
    path: ['sources', 'data', 'downloadHosts', 0],
    message: expect.stringContaining('such as storage.example.com'),
  });
});
