import { z } from 'zod';
import {
  type ContainerRows,
  containerTables,
  type Derived,
  decodeContainer,
  decodeHexChecksum,
  defineStream,
  encodedBytes,
  hasCode,
  int64,
  optional,
  type Partition,
  rfc3339,
  text,
} from '../../src/index.ts';
import { assertWhole, type Counting, checkBegin, countsAs, lateWhereEmpty } from './assertWhole.ts';
import {
  containerTime,
  firstIndex,
  holdsContainer,
  type IndexState,
  lastIndex,
  rangeSize,
  readContainers,
} from './readContainers.ts';
import { node } from './source.ts';

const indexes = ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'] as const;

const nameOf = ({ values }: Partition) => values['index_name'] as (typeof indexes)[number];

/** Every block, vertex and transaction that the node accepted, byte for byte, and decoded. */
export const containers = defineStream(node, {
  name: 'containers',
  description: "Containers of the node's indexes, byte for byte; decoded into the tables beside it.",
  endpoint: '/ext/index/{index}: index.getLastAccepted, index.getContainerRange, index.getContainerByIndex',
  parameters: z.strictObject({
    indexes: z
      .array(z.enum(indexes))
      .min(1)
      .default([...indexes])
      .describe('Indexes by their paths: C/block, P/block, ...'),
    decode: z
      .boolean()
      .default(true)
      .describe('Whether to decode the containers into rows; switched on later, it decodes what was read before too.'),
    allowIncomplete: z
      .boolean()
      .default(false)
      .describe(
        'Take an index that does not begin with the block after genesis, or has holes (a node started with --index-allow-incomplete). Switched off later, what was taken stays, with its holes.',
      ),
  }),
  partitionColumns: [{ name: 'index_name', description: 'Index by its path: C/block, P/block, X/block, X/tx, X/vtx.' }],
  needs: ['network'],
  partitions: ({ indexes: names, decode, allowIncomplete }) =>
    [...new Set(names)].map((name) => ({
      values: { index_name: name },
      settings: { path: `/ext/index/${name}`, decode, allowIncomplete },
    })),
  state: (): IndexState & Counting => ({ most: rangeSize }),
  schema: z.object({
    index: int64('Containers that the node accepted in this index before this one.'),
    id: text('Container id (cb58).'),
    parent_id: optional(text('Container id of the parent (cb58), from the bytes; NULL where they are not decoded.')),
    bytes: encodedBytes('The container, without the checksum of its encoding.', decodeHexChecksum),
    decode_error: optional(text('Why its bytes could not be decoded; NULL where they were, or were not to be.')),
    timestamp: rfc3339('When this node accepted the container; not the block time.'),
    timestampText: text('The same as the node wrote it, with its offset and nanoseconds.'),
    encoding: text('Encoding of the answer.'),
  }),
  key: ['index_name', 'index'],
  range: 'index',
  files: { chain: 'index_name', time: 'timestamp' },
  children: containerTables,
  derive: (row, partition, { hrp }): Derived => {
    if (!partition.settings.decode) return {};
    try {
      const container = { index: nameOf(partition), bytes: row.value('bytes') as Uint8Array, hrp };
      const { id, parentId } = decodeContainer(container, row.children as ContainerRows);
      const said = row.value('id');
      if (id === said) return { columns: { parent_id: parentId } };
      const problem = `the bytes are those of ${id}, not of ${said}`;
      return { columns: { decode_error: problem }, problems: [`id: ${problem}`] };
    } catch (error) {
      if (!hasCode(error, 'decode')) throw error;
      return { columns: { decode_error: error.message }, problems: [`bytes: ${error.message}`] };
    }
  },
  enrichment: { child: 'containers_c_transactions', column: 'from_address', from: 'raw', by: 'senders' },
  way: 'range',
  position: 'index',
  size: rangeSize,
  ahead: 4,
  head: (partition) => lastIndex(partition.settings.path),
  whereEmpty: (partition) => lateWhereEmpty(nameOf(partition)),
  *first(partition, head) {
    return partition.settings.allowIncomplete ? yield* firstIndex(partition.settings.path, head) : 0;
  },
  link: { id: 'id', parent: 'parent_id' },
  takesPart: (partition) => !partition.settings.decode,
  timeAt: (partition, position) => containerTime(partition.settings.path, position),
  mayHaveGaps: (partition) => partition.settings.allowIncomplete,
  holds(partition, last, state) {
    if (!partition.settings.allowIncomplete) countsAs(nameOf(partition), last, state);
    return holdsContainer(partition.settings.path, String(last['id']), Number(last['index']));
  },
  *checkBegin(partition) {
    if (!partition.settings.allowIncomplete) yield* checkBegin(nameOf(partition), partition.settings.path);
  },
  *read(partition, from, to, state) {
    const { allowIncomplete, decode, path } = partition.settings;
    const found = yield* readContainers(path, from, to, { allowIncomplete, state });
    // Containers that are decoded are linked to the one before, in their order: ranges are answered in any.
    const looked = decode
      ? found.slice(0, 1).filter((one) => one.number('index') === 0)
      : [...found.slice(0, 1), ...found.slice(-1)];
    if (!allowIncomplete) for (const container of looked) assertWhole(nameOf(partition), container, state);
    return found;
  },
});
