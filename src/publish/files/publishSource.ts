import type { Statements } from '../../load/database/transaction.ts';

/** What publish needs of an open warehouse: its folder, and access to its state database. */
export interface PublishSource extends Statements {
  /** The warehouse folder. */
  readonly folder: string;
  /** Runs work in one transaction: taken back where it throws or `keep` is false. */
  transaction<T>(work: (tx: Statements) => Promise<T>, keep?: boolean): Promise<T>;
}
