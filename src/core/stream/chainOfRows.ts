import type { Asking } from '../requests/page.ts';
import type { Partition } from './partition.ts';

/** How the rows of a list tell of which chain they are, so that those of a chain that was made anew do not come beside those of the one before. */
export interface ChainOfRows {
  /** Columns of partitions that name the chain. */
  readonly by: readonly string[];
  /** Columns of rows: height and id of the block, id of the transaction. */
  readonly height: string;
  readonly block: string;
  readonly transaction: string;
  /** Whether a transaction that stands in another block is of another chain: not where a service may write the id of a block in another way. */
  readonly blocksTell: boolean;
  /** Id of the block in which the source has a transaction, null where it does not say. Throws FirnError `not_found` where it has none. */
  blockOf(partition: Partition, transaction: string): Asking<string | null>;
}
