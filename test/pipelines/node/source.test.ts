import { expect, test } from 'vitest';
import { node } from '../../../pipelines/node/source.ts';

const id = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';

test('only Ethereum APIs take batches, and each chain may fail for itself', () => {
  const paths = [`/ext/bc/${id}/rpc`, '/ext/bc/C/rpc', '/ext/bc/P', '/ext/index/C/block', '/ext/info'];
  expect(paths.filter((path) => node.takesBatches?.(path))).toEqual(paths.slice(0, 2));
  expect(new Set(paths.map((path) => node.partOf?.(path))).size).toBe(paths.length);
  expect(node.partOf?.(`/ext/bc/${id}/rpc`)).not.toBe(node.partOf?.(`/ext/bc/${id.replace('2q', '3q')}/rpc`));
});

test('RPC URLs of chains answer in place of their paths, with headers where they have their own', () => {
  const rpc = { C: 'https://a.example/rpc', [id]: { url: 'https://b.example', headers: { 'x-tenant': 'mine' } } };
  expect(node.elsewhere?.({ rpc })).toEqual([
    { path: '/ext/bc/C/rpc', url: 'https://a.example/rpc' },
    { path: `/ext/bc/${id}/rpc`, url: 'https://b.example', headers: { 'x-tenant': 'mine' } },
  ]);
  expect(node.elsewhere?.({})).toEqual([]);
});
