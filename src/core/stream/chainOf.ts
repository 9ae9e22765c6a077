import type { Partition } from './partition.ts';
import type { Declared } from './stream.ts';

/**
 * The chain on which heights and dates of a partition lie: its EVM chain id, with which all streams of that chain share what is known of them.
 * Each index of a node counts its own positions, so without a chain id it is the stream with the partition's values.
 *
 * @param values of the partition; undefined where it is not known
 */
export const chainOf = ({ id }: Pick<Declared, 'id'>, values: Partition['values'] = {}): string =>
  values['chain_id'] ?? [id, ...Object.values(values)].join(' ');
