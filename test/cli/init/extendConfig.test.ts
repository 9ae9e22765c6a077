import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { extendConfig } from '../../../src/cli/init/extendConfig.ts';

const example = { extend: './my', source: { name: 'info', url: 'http://127.0.0.1:9650' }, stream: 'info/a' };

test.each([
  [
    'blocks, with their comments',
    `# top
warehouse: ./w # here
sources:
  # the node
  node:
    url: "\${env:NODE}"
pipelines:
  one:
    streams:
      node/b: { from: 0 } # small
  two: { streams: {} }
`,
    `# top
extend: ./my
warehouse: ./w # here
sources:
  # the node
  info: { url: "\${env:NODE}" }
  node:
    url: "\${env:NODE}"
pipelines:
  one:
    streams:
      info/a: {}
      node/b: { from: 0 } # small
  two: { streams: {} }
`,
  ],
  [
    'flow, empty or not',
    'sources: { data: { url: "http://a.example" } }\npipelines: { one: { streams: {} } }',
    'extend: ./my\nsources: { info: { url: "http://127.0.0.1:9650" }, data: { url: "http://a.example" } }\npipelines: { one: { streams: { info/a: {} } } }',
  ],
])('%s', (_, text, extended) => {
  expect(extendConfig(text, example)).toBe(extended);
});

test('a folder whose name would mean something else in YAML stands in quotes', () => {
  const text = extendConfig('sources: {}\npipelines: { one: { streams: {} } }', { ...example, extend: './my #1' });
  expect(parse(text)).toMatchObject({ extend: './my #1', sources: { info: {} } });
});

test.each([
  ['extend: ./other\nsources: {}\npipelines: { a: { streams: {} } }', /names a folder already: extend: \.\/other/],
  ['sources: {}\npipelines: {}', /no pipeline with streams/],
])('%j is refused', (text, message) => {
  expect(() => extendConfig(text, example)).toThrow(message);
});
