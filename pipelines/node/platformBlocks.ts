import { z } from 'zod';
import {
  decodeHexChecksum,
  defineStream,
  encodedBytes,
  findHeight,
  int64,
  json,
  named,
  optional,
  parseBound,
  text,
  unixSeconds,
} from '../../src/index.ts';
import { blockBounds, lastHeight } from './lastHeight.ts';
import { rangeSize } from './readContainers.ts';
import {
  holdsPlatformBlock,
  isIndexed,
  type PlatformIndex,
  platformBlockTime,
  platformHeight,
  readPlatformBlocks,
} from './readPlatformBlocks.ts';
import { node } from './source.ts';

const transaction = z.object({
  id: optional(named('tx_id', text('Transaction (cb58).'))),
  txType: optional(text('Type, from the bytes; NULL where they are not asked for.')),
  unsignedTx: json('The transaction without its signatures, as JSON.'),
  credentials: optional(json('Signatures, as JSON.')),
});

/** P-Chain blocks with their transactions as the platform API gives them in JSON, made of their bytes. */
export const platformBlocks = defineStream(node, {
  name: 'platform_blocks',
  description: 'P-Chain blocks as the platform API gives them, from their bytes; with `json`, compared with its JSON.',
  endpoint: 'platform.getHeight, index.getContainerRange (P/block), platform.getBlockByHeight, platform.getBlock',
  parameters: z.strictObject({
    ...blockBounds,
    hex: z
      .boolean()
      .default(true)
      .describe(
        'Whether to read the bytes, 1,024 blocks per request where the node has its index; JSON alone without them. Switched on later, older blocks are read again.',
      ),
    json: z
      .boolean()
      .default(false)
      .describe(
        'Whether to ask for each block in JSON too, one request per block, and compare it with the bytes. Switched on or off later, older blocks stay as they were read.',
      ),
  }),
  needs: ['network'],
  partitions: ({ from, to, hex, json: asked }, { hrp }) => [
    { values: {}, settings: { from, to, hex, json: asked || !hex, hrp } },
  ],
  state: (): PlatformIndex => ({ most: rangeSize, lacks: false }),
  schema: z.object({
    height: int64('Height.'),
    id: named('block_id', text('Block (cb58).')),
    parentID: text('Parent block (cb58).'),
    time: optional(named('timestamp', unixSeconds('Block time; none in Apricot blocks.'))),
    hex: optional(named('bytes', encodedBytes('The block, without the checksum of its encoding.', decodeHexChecksum))),
    blockType: optional(text('ApricotProposalBlock to BanffStandardBlock, from the bytes.')),
    transactionCount: optional(int64('Transactions.')),
    difference: optional(
      text(
        'First place where bytes and JSON differ: path: bytes, JSON. NULL where they agree, or JSON was not asked for.',
      ),
    ),
    transactions: z.array(transaction),
  }),
  key: ['height'],
  range: 'height',
  files: {},
  time: 'timestamp',
  height: 'height',
  children: {
    platform_transactions: {
      description: 'Transactions of the P-Chain blocks.',
      schema: transaction,
      key: ['position'],
      of: 'transactions',
    },
  },
  way: 'range',
  position: 'height',
  size: rangeSize,
  ahead: 2,
  *requestsFor({ settings: { hex, json: asked } }, positions) {
    const bytes = hex ? ((yield* isIndexed()) ? Math.ceil(positions / rangeSize) : positions) : 0;
    return bytes + (asked ? positions : 0);
  },
  head: platformHeight,
  first: (partition, head, brackets) =>
    findHeight(parseBound(partition.settings.from), head, platformBlockTime, { brackets }),
  last: ({ settings: { to } }, next, head, brackets) => lastHeight(to, { next, head, brackets }, platformBlockTime),
  timeAt: (_, position) => platformBlockTime(position),
  holds: (_, last) => holdsPlatformBlock(String(last['block_id']), Number(last['height'])),
  link: { id: 'block_id', parent: 'parent_id' },
  // Types, by which other streams know what is rewarded, come from the bytes.
  takesPart: (partition) => !partition.settings.hex,
  read: ({ settings }, from, to, index) => readPlatformBlocks(settings, from, to, index),
});
