import type { DuckDBConnection } from '@duckdb/node-api';
import { inTransaction } from './inTransaction.ts';
import { createRowScanner } from './rowScanner.ts';
import { SharedTransaction, type Written } from './sharedTransaction.ts';
import { createTransaction, type Statements, type Transaction } from './transaction.ts';

/**
 * The one way into a database. Everything has its turn in the order in which it was asked for: no statement falls into
 * the transaction of another piece of work.
 */
export interface Writer extends Statements {
  /** Runs statements, each a transaction of its own, once what was written before is durable. */
  run: Statements['run'];
  /** Answers from all that was written before, including whole batches that are not durable yet. */
  query: Statements['query'];
  /**
   * Runs work in a transaction of its own, once what was written before is durable. It is durable itself when this ends; it is taken back
   * where the work throws or `keep` is false.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, keep?: boolean): Promise<T>;
  /**
   * Writes one batch of a read into the transaction that all reads share. It is committed when it holds 200 MB of answers or two seconds
   * after it began: a large commit costs a third of what small ones cost. DuckDB gives up a whole transaction where one statement
   * fails. Then all reads that wrote into it are told to begin again at their checkpoints, and every later batch is a transaction of its
   * own: the one at fault fails alone, with its own error, and what lies before it stays. Keeping rows until they are durable would spare
   * the reads that, for 200 MB of memory.
   *
   * @param read whose batch it is: once a batch of it was taken back, later ones are refused, since they do not go on from the checkpoint
   * @param bytes size of the answers
   * @throws FirnError `rolled_back` to be read again from the checkpoint; else what the work throws
   */
  write<T>(read: object, bytes: number, work: (tx: Transaction) => Promise<T>): Promise<Written<T>>;
  /**
   * Gives DuckDB less memory once batches have brought some 24 MB of answers. Until then it keeps what it was opened with: a commit of a few
   * rows takes half a megabyte for each column of their tables, nearly all of it never touched, and laying that aside would fill it. A sync of
   * 273 rows and 975 of children, which laid 90 MB aside with 64 MB, takes a sixth less CPU with 512 MB, and the build behind it 110 MiB less.
   */
  narrowTo(limit: string): void;
  /** Makes durable what was written so far. The outcome of a batch is told by its `durable`. */
  commit(): Promise<void>;
  /**
   * Discards what is not durable, and calls `end`: at once, or where a statement is under way, when that is over. It would never end after its
   * connection, nor would the process.
   */
  close(end?: () => void): void;
}

/**
 * Bytes of answers from which on a commit that ends a read writes into the tables at once: what it leaves in the log is written when the
 * database is closed, and nothing goes on meanwhile.
 */
const largeAtEnd = 16e6;

/**
 * The only user of a connection.
 *
 * @param roomierLimits see `OpenOptions`
 * @param reattach attaches the database again, by another connection
 */
export function createWriter(
  connection: DuckDBConnection,
  roomierLimits: readonly string[] = [],
  reattach: () => Promise<void> = async () => {},
): Writer {
  const scanner = createRowScanner(connection);
  const tx = createTransaction(connection, scanner);
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const turn = <T>(work: () => Promise<T>): Promise<T> => {
    waiting++;
    const result = queue.then(work);
    queue = result
      .catch(() => {})
      .then(() => {
        waiting--;
        scanner.forget();
      });
    return result;
  };
  const shared = new SharedTransaction({ connection, tx, turn, roomierLimits, reattach });
  return {
    run: (sql, values) =>
      turn(async () => {
        await shared.commit();
        return tx.run(sql, values);
      }),
    query: <R extends object = Record<string, unknown>>(...[sql, values]: Parameters<Writer['query']>) =>
      turn(async () => {
        try {
          return await tx.query<R>(sql, values);
        } catch (error) {
          await shared.endIfBroken(error);
          throw error;
        }
      }),
    transaction: (work, keep) =>
      turn(async () => {
        await shared.commit();
        return inTransaction(tx, () => work(tx), keep);
      }),
    write: (read, bytes, work) => turn(() => shared.write(read, bytes, work)),
    narrowTo: (limit) => shared.narrowTo(limit),
    commit: () => turn(() => shared.commit(largeAtEnd)),
    close(end = () => {}) {
      shared.forget();
      if (waiting === 0) end();
      else void queue.then(end);
    },
  };
}
