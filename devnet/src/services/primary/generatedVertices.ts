import { toCb58, utxoIdOf } from '../../codec/cb58.ts';
import { sha256 } from '../../codec/hashes.ts';
import { addressPrefix, toAddress } from '../../codec/primaryAddress.ts';
import { once } from '../../once.ts';
import type { Ledger } from '../../types.ts';
import { renderAmount } from './assets.ts';
import type { PrimaryHistory } from './primaryHistory.ts';

/** A vertex of the X-Chain's time as a graph, as the service shows it. */
export interface Vertex {
  readonly vertexHash: string;
  readonly parentHashes: readonly string[];
  readonly vertexHeight: number;
  readonly vertexIndex: number;
  readonly vertexTimestamp: number;
  readonly txCount: number;
  readonly transactions: readonly string[];
  readonly vertexSizeBytes: number;
}

/** Number of vertices at each height there is. One height has more than a page holds. */
const widths = [1, 2, 3, 137, 4, 2, 1, 3];

/** Generated: no recording has vertices, since a new network's X-Chain is linear from the start. The same ledger always gives the same. */
export const generatedVertices = once((ledger: Ledger): readonly (readonly Vertex[])[] => {
  const genesis = ledger.c.blocks[0]?.timestamp ?? 0;
  const heights: Vertex[][] = [];
  let index = 0;
  for (const [height, width] of widths.entries()) {
    const below = heights[height - 1] ?? [];
    heights.push(
      Array.from({ length: width }, (_, at): Vertex => {
        const bytes = digest(ledger, 'vertex', height, at);
        const txCount = 1 + ((bytes[0] ?? 0) % 3);
        const parents = below.length === 0 ? [] : [below[at % below.length], below[(at + 1) % below.length]];
        return {
          vertexHash: toCb58(bytes),
          parentHashes: [...new Set(parents.flatMap((parent) => parent?.vertexHash ?? []))],
          vertexHeight: height,
          vertexIndex: index++,
          vertexTimestamp: genesis - (widths.length - height) * 60,
          txCount,
          transactions: Array.from({ length: txCount }, (_tx, one) =>
            toCb58(digest(ledger, 'vertex-tx', height, at, one)),
          ),
          vertexSizeBytes: 200 + (bytes[1] ?? 0),
        };
      }),
    );
  }
  return heights;
});

/** Generated: the transactions of those vertices in the service's pre-Cortina form, ascending. */
export function generatedTransactions(ledger: Ledger, history: PrimaryHistory): { readonly generated: object }[] {
  const x = ledger.x.blockchainId;
  return generatedVertices(ledger)
    .flat()
    .flatMap((vertex) =>
      vertex.transactions.map((txHash) => {
        const amount = renderAmount(history, history.avaxAssetId, 1_000_000n);
        const timestamp = vertex.vertexTimestamp;
        const emitted = {
          addresses: [toAddress(addressPrefix(ledger.networkId), digest(ledger, txHash).subarray(0, 20))],
          utxoId: utxoIdOf(txHash, 0),
          asset: amount,
          utxoType: 'transfer',
          outputIndex: '0',
          timestamp,
          creationTxHash: txHash,
          locktime: 0,
          threshold: 1,
          createdOnChainId: x,
          consumedOnChainId: x,
        };
        return {
          generated: {
            txHash,
            chainFormat: 'non-linear',
            timestamp,
            txType: 'BaseTx',
            memo: `0x${Buffer.from('generated').toString('hex')}`,
            consumedUtxos: [],
            emittedUtxos: [emitted],
            amountUnlocked: [],
            amountCreated: [amount],
            vertices: [{ hash: vertex.vertexHash, height: vertex.vertexHeight, timestamp }],
          },
        };
      }),
    );
}

const digest = (ledger: Ledger, ...words: readonly (string | number)[]): Buffer =>
  sha256(Buffer.from(`${ledger.x.blockchainId} ${words.join(' ')}`));
