import { expect, test } from 'vitest';
import { openOrigin } from '../../../src/extract/http/origin.ts';

const key = 'canary-4f2b9c81d77e4a0f';
const chain = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM';

test.each<[string, Parameters<typeof openOrigin>[0]]>([
  ['in the path', { url: `https://host/v1/${key}/rpc` }],
  ['from the environment, in the path', { url: `https://host/bc/${key}/rpc`, secrets: [key] }],
  ['from the environment, in a header', { url: 'https://host', headers: { 'x-tenant': key }, secrets: [key] }],
  ['in the query', { url: `https://host/rpc?lang=en&apikey=${key}` }],
  ['that is a password', { url: `https://someone:${key}@host` }],
  ['that is a password, a sign of it escaped', { url: `https://someone:%63${key.slice(1)}@host` }],
  ['behind its scheme', { url: 'https://host', keyHeader: 'authorization', key: `Bearer ${key}` }],
  ['with a space behind it', { url: 'https://host', key: `${key} ` }],
  ['from the environment, behind something else', { url: 'https://host', key: `tenant:${key}`, secrets: [key] }],
])('a key %s is hidden in messages and in what is echoed', (_, origin) => {
  const { redact, unechoed } = openOrigin(origin);
  expect(redact(`asked ${key}`)).toBe('asked ***');
  expect(unechoed(Buffer.from(`{"of":"${key}"}`)).toString()).toBe('{"of":"***"}');
});

test.each<[string, Parameters<typeof openOrigin>[0], string]>([
  ['an id of a chain', { url: `https://host/v1/${chain}/rpc`, secrets: [chain] }, chain],
  ['a name of words', { url: 'https://host/my-subnet-2024-tests/rpc' }, 'my-subnet-2024-tests'],
  ['a short value', { url: 'https://host', headers: { 'x-tenant': 'acme' }, secrets: ['acme'] }, 'acme'],
])('%s stays in data: answers hold it anyway', (_, origin, value) => {
  const answer = Buffer.from(`{"of":"${value}"}`);
  expect(openOrigin(origin).unechoed(answer)).toBe(answer);
});

test('a value of three letters is no secret, wherever it comes from: messages hold it anyway', () => {
  const { redact } = openOrigin({ url: 'https://host', headers: { 'x-tenant': 'dev' }, secrets: ['dev'] });
  expect(redact('the dev network')).toBe('the dev network');
});

test.each(['', 'localhost:9650', 'ftp://host', 'http://', 'https://:9650'])('"%s" is refused', (url) => {
  expect(() => openOrigin({ url })).toThrow(/must start with http:\/\/ or https:\/\/ and name a host/);
});
