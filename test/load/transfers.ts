import { z } from 'zod';
import { parseRecords } from '../../src/core/parse/parseRecords.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import type { Stream } from '../../src/core/stream/stream.ts';
import { amount, defineStream, hex, int32, int64, optional, text, uint256 } from '../../src/index.ts';
import type { Batch } from '../../src/load/commit/batch.ts';

const source = { name: 'data', description: 'A source of tests.', numbers: 'lossless' } as const;
const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };

const part = z.object({ logIndex: int32('Log index.'), amount: uint256('Amount.') });

const children = {
  transfers_parts: {
    description: 'Parts.',
    schema: part,
    key: ['log_index'],
    of: 'parts',
  },
};

/** A small stream with a child table, in the way a test needs it. */
export function transfersStream(way: 'slice' | 'snapshot' = 'slice', keepRevisions = false): Stream {
  const stream = defineStream(source, {
    name: 'transfers',
    description: 'Transfers of tests.',
    endpoint: 'GET /transfers',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({
      height: int64('Height.'),
      txHash: hex('Hash.'),
      value: amount('Value.'),
      note: optional(text('Note.')),
      parts: z.array(part).optional(),
    }),
    key: ['chain_id', 'tx_hash'],
    range: 'height',
    children,
    ...(keepRevisions && { keepRevisionsOf: ['value'] }),
    // One declaration for both ways: each is tested with the same records.
    way: way as 'slice',
    *pages() {},
    records: { each: 'item' },
  });
  return stream as Stream;
}

/** A stream whose rows have no key of their own. */
export const callsStream = (): Stream =>
  defineStream(source, {
    name: 'calls',
    description: 'Calls of tests.',
    endpoint: 'GET /calls',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({ height: int64('Height.'), to: optional(text('Callee.')), value: amount('Value.') }),
    key: ['chain_id', 'height', 'to', 'value', 'position'],
    range: 'height',
    way: 'slice',
    *pages() {},
    records: { each: 'item' },
  }) as Stream;

export const partition: Partition = { values: { chain_id: '43112' } };

/** A batch of raw transfers as a read would hand it over. */
export function batchOf(stream: Stream, raws: readonly unknown[], fetchedAt = 1_700_000_000_000): Batch {
  const page = parseRecords(stream, partition, network, raws);
  return {
    ...page,
    sets: [page.set],
    records: raws.length,
    pages: 1,
    bytes: 100,
    request: 'GET /transfers',
    fetchedAt,
  };
}

/** A transfer with as many parts as it is told. */
export function transfer(height: number, parts: readonly string[] = [], value = '10') {
  return {
    height: String(height),
    txHash: `0x${height.toString(16).padStart(64, '0')}`,
    value,
    parts: parts.map((amount, logIndex) => ({ logIndex, amount })),
  };
}
