import { containers } from '../../pipelines/node/containers.ts';
import { RowSet } from '../../src/core/parse/rowSet.ts';
import type { ContainerRows } from '../../src/decode/containers/containerRows.ts';
import { type ContainerIndex, decodeContainer } from '../../src/decode/containers/decodeContainer.ts';
import type { DecodedIds } from '../../src/decode/containers/decodedIds.ts';
import type { Recorded } from './recordedLedger.ts';

/** Tables that containers fill, empty. */
export const emptyTables = () => new RowSet(containers, { values: {} }).children as ContainerRows;

const tables = emptyTables();

/** What a container says of itself and, by table, its rows as they are stored: `blocks`, `transactions`, `inputs`, ... */
export function decodedRows(index: ContainerIndex, bytes: Uint8Array): DecodedIds & Record<string, Recorded> {
  for (const rows of Object.values(tables)) rows.truncate(0);
  const ids = decodeContainer({ index, bytes, hrp: 'local' }, tables);
  const prefix = `containers_${index.charAt(0).toLowerCase()}_`;
  const own = Object.entries(tables).filter(([name]) => name.startsWith(prefix));
  return { ...ids, ...Object.fromEntries(own.map(([name, rows]) => [name.slice(prefix.length), rows.toObjects()])) };
}

/** An integer as rows give it back: bigint only where a number cannot hold it. */
export function integer(value: bigint | number | string): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}
