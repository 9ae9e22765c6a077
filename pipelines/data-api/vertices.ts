import { z } from 'zod';
import { defineStream, echo, int64, optional, text, texts, unixSeconds, type Window } from '../../src/index.ts';
import { listPages } from './listPages.ts';
import { pageSize } from './parameters.ts';
import { chainColumns, chainInfo, chainPath, primaryChains } from './primaryChain.ts';
import { data, weights } from './source.ts';

const height = z.number().int().min(0, 'a height is 0 or more');

/** Vertices of the X-Chain, from before Cortina. */
export const vertices = defineStream(data, {
  name: 'vertices',
  description: 'Vertices of the X-Chain, which it was made of before Cortina, by height.',
  endpoint: 'GET /v1/networks/{network}/blockchains/{blockchainId}/vertices:listByHeight',
  parameters: z.strictObject({
    blockchainIds: z
      .array(z.string())
      .min(1)
      .default(['x-chain'])
      .describe('x-chain or its id: vertices are on the X-Chain only.'),
    from: height.default(0).describe('First height.'),
    to: height.describe('First height that is not read. There is no head to read up to.'),
    pageSize: pageSize(100),
  }),
  partitionColumns: chainColumns('x-chain'),
  partitions: ({ blockchainIds, from, to, pageSize }, network) =>
    primaryChains(network, blockchainIds, ['x-chain']).map((blockchain) => ({
      values: { network: network.network, blockchain },
      filters: { from },
      settings: { to, pageSize },
    })),
  schema: z.object({
    network: optional(echo('mainnet or fuji.')),
    blockchain: optional(echo('x-chain.')),
    vertexHash: text('Vertex id, cb58.'),
    parentHashes: optional(texts('Parent vertices.')),
    vertexHeight: int64('Height of the vertex.'),
    vertexIndex: optional(int64('Place of the vertex in the order of acceptance.')),
    vertexTimestamp: optional(unixSeconds('When it was accepted.')),
    txCount: optional(int64('Number of transactions.')),
    transactions: optional(texts('Transaction ids, in order.')),
    vertexSizeBytes: optional(int64('Size of the vertex.', 'bytes')),
  }),
  key: ['network', 'blockchain', 'vertex_hash'],
  range: 'vertex_height',
  files: { chain: 'blockchain' },
  way: 'slice',
  *pages({ values, filters, settings }, { position }: Window<{ readonly next: number }>) {
    const { to, pageSize } = settings;
    const path = `${chainPath(values)}/vertices:listByHeight`;
    for (let vertexHeight = position?.next ?? filters.from; vertexHeight < to; vertexHeight++) {
      yield* listPages(path, { vertexHeight, sortOrder: 'asc', pageSize }, weights.medium);
      yield { kind: 'advance', position: { next: vertexHeight + 1 } };
    }
  },
  records: { at: 'vertices', each: 'item', says: chainInfo },
});
