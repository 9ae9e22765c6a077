import { z } from 'zod';
import {
  defineStream,
  hex,
  int32,
  int64,
  json,
  lenient,
  optional,
  type RowPlace,
  rfc3339,
  text,
} from '../../src/index.ts';
import { data } from './source.ts';

/** Rows of exported files. */
export const exportRows = defineStream(data, {
  name: 'export_rows',
  description:
    'Rows of exported files, every cell under the name of its column; what is commonly there stands in columns beside it.',
  endpoint: 'downloadUrl of GET /v1/operations/{operationId}',
  parameters: z.strictObject({}),
  partitionColumns: [
    { name: 'export_id', description: 'Export that the row belongs to.' },
    { name: 'operation_id', description: 'Operation whose file held it; the later one where two files hold it.' },
  ],
  partitions: () => [],
  schema: z.object({
    rowNumber: int64('Place in the file, from 1; the header does not count.'),
    rowHash: text('SHA-256 of the row under its header, hex.'),
    occurrence: int32('How many rows of the same content stand before it in its file.'),
    cells: json('The row: name of the column to text of the cell.'),
    rowTime: lenient(rfc3339('Time of the row, where a column holds one.')),
    chainId: optional(text('Chain, where a column names it.')),
    blockNumber: optional(int64('Height, where a column holds it.')),
    txHash: optional(text('Transaction, where a column names it.')),
    txType: optional(text('Kind of row or transaction, where a column names it.')),
    fromAddress: optional(hex('Sender, where a column names it.')),
    toAddress: optional(hex('Receiver, where a column names it.')),
    amountText: optional(
      text('Amount as it stands in the file, where a column holds one; its unit is not documented.'),
    ),
  }),
  key: ['export_id', 'row_hash', 'occurrence'],
  way: 'action',
});

/** Names under which files are known, or likely, to hold the common columns. The first that the header has counts. */
const common: Readonly<Record<string, readonly string[]>> = {
  rowTime: ['timestamp', 'blocktimestamp', 'datetime', 'date', 'time'],
  chainId: ['chainid', 'chain', 'blockchainid', 'blockchain', 'network'],
  blockNumber: ['blocknumber', 'blockheight', 'block', 'height'],
  txHash: ['txhash', 'transactionhash', 'hash', 'txid', 'transactionid'],
  txType: ['type', 'txtype', 'transactiontype', 'method'],
  fromAddress: ['from', 'fromaddress', 'sender'],
  toAddress: ['to', 'toaddress', 'receiver', 'recipient'],
  amountText: ['amount', 'value'],
};

/** What a header tells of its columns. */
interface Columns {
  /** Those of the same name are numbered, so that none is lost. */
  readonly names: readonly string[];
  /** Where the common ones are. */
  readonly places: ReadonlyMap<string, number>;
}

/** By header: files of one export have one header; rows are many. */
const known = new WeakMap<readonly string[], Columns>();

function columnsOf(header: readonly string[]): Columns {
  const columns = known.get(header) ?? { names: numbered(header), places: placesOf(header) };
  known.set(header, columns);
  return columns;
}

function numbered(header: readonly string[]): string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return header.map((name) => {
    let free = name;
    for (let n = numbers.get(name) ?? 2; taken.has(free); n++) {
      free = `${name} (${n})`;
      numbers.set(name, n + 1);
    }
    taken.add(free);
    return free;
  });
}

function placesOf(header: readonly string[]): ReadonlyMap<string, number> {
  const plain = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const found = Object.entries(common).flatMap(([member, names]): [string, number][] => {
    const name = names.find((candidate) => plain.includes(candidate));
    return name === undefined ? [] : [[member, plain.indexOf(name)]];
  });
  return new Map(found);
}

/** The record of a row. A common column that cannot be read stays empty: the text is in `cells`. */
export function exportRowRecord(header: readonly string[], cells: readonly string[], place: RowPlace): unknown {
  const { names, places } = columnsOf(header);
  const record: Record<string, unknown> = { ...place, cells: named(names, cells) };
  for (const [member, at] of places) {
    const cell = cells[at]?.trim() ?? '';
    const value = (readers[member] ?? same)(cell);
    if (cell !== '' && value !== undefined) record[member] = value;
  }
  return record;
}

function named(names: readonly string[], cells: readonly string[]): Record<string, string> {
  // It inherits nothing: a column __proto__ is one like any other.
  const row: Record<string, string> = Object.create(null);
  names.forEach((name, i) => {
    row[name] = cells[i] ?? '';
  });
  return row;
}

const same = (cell: string): string | undefined => cell;
const address = (cell: string) => (/^0x[0-9a-fA-F]{40}$/.test(cell) ? cell : undefined);

const readers: Readonly<Record<string, (cell: string) => string | undefined>> = {
  rowTime: timeOf,
  blockNumber: (cell) => (/^\d{1,18}$/.test(cell) ? cell : undefined),
  fromAddress: address,
  toAddress: address,
};

/** RFC 3339 text of a time: a date, a time with or without zone (UTC then), or Unix seconds or milliseconds. */
function timeOf(cell: string): string | undefined {
  if (/^\d{9,13}$/.test(cell)) return new Date(Number(cell) * (cell.length > 11 ? 1 : 1000)).toISOString();
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?)\s*(UTC|[Zz]|[+-]\d\d:?\d\d)?)?$/.exec(cell);
  if (!match) return undefined;
  const zone = match[3] === undefined || match[3] === 'UTC' ? 'Z' : match[3].replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const time = `${match[1]}T${match[2] ?? '00:00:00'}${zone}`;
  return Number.isNaN(Date.parse(time.replace(/(\.\d{3})\d+/, '$1'))) ? undefined : time;
}
