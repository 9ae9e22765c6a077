import type { Between, Pages, Partition, Window } from '../../src/index.ts';
import { evmRows } from './chainsOfRows.ts';
import { addressColumns, type HistoryPartition, historyParameters, historyPartitions } from './evmAddress.ts';
import { type HeightList, type HeightPosition, heightsBetween, onwards } from './heightPages.ts';

type HeightPages = (
  list: HeightList,
  partition: HistoryPartition,
  window: Window<HeightPosition>,
) => Pages<HeightPosition>;

/**
 * What streams have in common that read the history of addresses from lists that are cut by height.
 *
 * @param listOf where the list of a partition is
 * @param read the pages of a list
 */
export function addressHistory(listOf: (partition: Partition) => HeightList, read: HeightPages) {
  const pages = (partition: HistoryPartition, window: Window<HeightPosition>) =>
    read(listOf(partition), partition, window);
  return {
    parameters: historyParameters,
    partitionColumns: addressColumns,
    partitions: historyPartitions,
    range: 'block_number',
    files: { chain: 'chain_id', time: 'block_timestamp' },
    height: 'block_number',
    way: 'slice',
    chainOfRows: evmRows,
    ...onwards,
    pages,
    between: (partition: HistoryPartition, bounds: Between, window: Window<HeightPosition>) =>
      heightsBetween(listOf(partition), partition, bounds, window, pages),
  } as const;
}
