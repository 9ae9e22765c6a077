import { expect, test } from 'vitest';
import { vertices } from '../../../pipelines/data-api/vertices.ts';
import type { Partition, Position } from '../../../src/core/stream/partition.ts';
import { drivePages } from '../../run/read/drivePages.ts';

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };

test.each<[string, Position | null, readonly number[], readonly string[]]>([
  ['are read height by height, up to the first that is not wanted', null, [3, 3, 4, 5], ['v3', 'v5']],
  ['go on where a read ended', { next: 5 }, [5], ['v5']],
  ['that were all read are asked for no more', { next: 6 }, [], []],
])('vertices %s', async (_, position, heights, wanted) => {
  const partition = vertices.partitions(
    vertices.parameters.parse({ from: 3, to: 6 }) as never,
    network,
  )[0] as Partition;
  const asked: unknown[] = [];
  const pages = vertices.pages(partition as never, { position, now: 0 } as never, undefined as never);
  const driven = await drivePages(vertices as never, partition, pages, async (request) => {
    const { vertexHeight, pageToken } = (request.kind === 'get' && request.query) || {};
    asked.push(vertexHeight);
    // The first page of a height may be empty, and a height without vertices.
    const isEmpty = vertexHeight === 4 || (vertexHeight === 3 && pageToken === undefined);
    const found = isEmpty ? [] : [{ vertexHash: `v${vertexHeight}`, vertexHeight }];
    const more = vertexHeight === 3 && pageToken === undefined && { nextPageToken: 'on' };
    return { body: { vertices: found, ...more }, fetchedAt: 0, bytes: 0 };
  });
  expect(asked).toEqual(heights);
  expect(driven.page.set.own.toObjects().map((row) => row['vertex_hash'])).toEqual(wanted);
  expect(driven.position).toEqual(heights.length > 0 ? { next: 6 } : null);
});
