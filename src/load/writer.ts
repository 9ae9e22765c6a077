import type { DuckDBConnection } from '@duckdb/node-api';
import { FirnError, messageOf } from '../core/firnError.ts';
import { isOutOfMemory } from './diskError.ts';
import { commit, inTransaction } from './inTransaction.ts';
import { createRowScanner } from './rowScanner.ts';
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
  /** Makes durable what was written so far. The outcome of a batch is told by its `durable`. */
  commit(): Promise<void>;
  /** Discards what is not durable. */
  close(): void;
}

/** A batch in the shared transaction. */
export interface Written<T> {
  readonly value: T;
  /** Ends when the batch is durable; throws as `write` does where it was taken back. */
  readonly durable: Promise<void>;
}

interface Batch {
  readonly read: object;
  readonly durable: Promise<void>;
  end(error?: unknown): void;
}

/** The transaction that reads share. */
interface Shared {
  readonly batches: Batch[];
  readonly timer: NodeJS.Timeout;
  bytes: number;
}

/** It is committed after so many bytes of answers, or milliseconds since it began: a kill costs no more than that. */
const mostBytes = 200e6;
const mostMs = 2000;
/** Bytes of answers from which on a commit writes into the tables at once: the last rows of each, written anew, cost less than the log then. */
const largeBytes = 64e6;
/** The same of a commit that ends a read: what it leaves in the log is written when the database is closed, and nothing goes on meanwhile. */
const largeAtEnd = 16e6;

/**
 * How large the log may be before it is written into the tables. That writes the last rows of every table anew: at 64 MB they cost a load of
 * small commits more than the log would, at 1 GB the waiting rows do not stay in memory.
 */
export const checkpointThreshold = '256MB';

/**
 * The only user of a connection.
 *
 * @param roomierLimits see `OpenOptions`
 */
export function createWriter(connection: DuckDBConnection, roomierLimits: readonly string[] = []): Writer {
  const stillRoomier = [...roomierLimits];
  const scanner = createRowScanner(connection);
  const tx = createTransaction(connection, scanner);
  const lost = new WeakMap<object, unknown>();
  let shared: Shared | undefined;
  let isAlone = false;
  let queue: Promise<unknown> = Promise.resolve();

  const turn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => {}).then(scanner.forget);
    return result;
  };

  const begin = async (): Promise<Shared> => {
    await tx.run('BEGIN TRANSACTION');
    const timer = setTimeout(() => {
      void turn(async () => {
        if (shared?.timer === timer) await commitShared();
      });
    }, mostMs);
    return { batches: [], timer, bytes: 0 };
  };

  const end = (): readonly Batch[] => {
    clearTimeout(shared?.timer);
    const batches = shared?.batches ?? [];
    shared = undefined;
    return batches;
  };

  const commitWithoutLog = async () => {
    await connection.run("SET GLOBAL checkpoint_threshold = '1MB'");
    try {
      await commit(tx);
    } finally {
      await connection.run(`SET GLOBAL checkpoint_threshold = '${checkpointThreshold}'`).catch(() => {});
    }
  };

  const commitShared = async (large = largeBytes) => {
    if (!shared) return;
    try {
      await (shared.bytes >= large ? commitWithoutLog() : commit(tx));
      for (const batch of end()) batch.end();
    } catch (error) {
      await takeBack(error);
    }
  };

  /** Gives DuckDB more memory, where it may have more. */
  const widen = async (): Promise<boolean> => {
    const next = stillRoomier.shift();
    if (next === undefined) return false;
    // An instance that is dead takes no setting, and its batches must be told nevertheless.
    return connection.run(`SET memory_limit = '${next}'`).then(
      () => true,
      () => false,
    );
  };

  /**
   * Takes back the shared transaction; gives the error for its reads.
   *
   * @param isOfBatch whether it is one of the batches that failed
   */
  const takeBack = async (error: unknown, isOfBatch = true): Promise<unknown> => {
    const batches = end();
    await tx.run('ROLLBACK').catch(() => {});
    // Many wide tables in one transaction may not fit, whichever came last: read again, they do.
    const isRoomier = isOutOfMemory(error) && (await widen());
    // After a full disk the instance is dead: nothing can be read again.
    const isFinal =
      !isRoomier && ((isOfBatch && batches.length === 1) || (error instanceof FirnError && error.code === 'disk'));
    const told = isFinal ? error : rolledBack(error);
    isAlone ||= !isFinal && !isRoomier;
    for (const batch of batches) {
      lost.set(batch.read, told);
      batch.end(told);
    }
    return told;
  };

  const isSound = () =>
    connection.run('SELECT 1').then(
      () => true,
      () => false,
    );

  return {
    run: (sql, values) =>
      turn(async () => {
        await commitShared();
        return tx.run(sql, values);
      }),
    query: <R extends Record<string, unknown>>(...[sql, values]: Parameters<Writer['query']>) =>
      turn(async () => {
        try {
          return await tx.query<R>(sql, values);
        } catch (error) {
          if (shared && !(await isSound())) await takeBack(error, false);
          throw error;
        }
      }),
    transaction: (work, keep) =>
      turn(async () => {
        await commitShared();
        return inTransaction(tx, () => work(tx), keep);
      }),
    write: (read, bytes, work) =>
      turn(async () => {
        if (lost.has(read)) throw lost.get(read);
        shared ??= await begin();
        const batch = createBatch(read);
        shared.batches.push(batch);
        const before = tx.changes();
        try {
          const value = await work(tx);
          shared.bytes += bytes;
          if (isAlone || shared.bytes >= mostBytes) await commitShared();
          return { value, durable: batch.durable };
        } catch (error) {
          // A statement that was refused before it changed anything does no harm.
          if (isOutOfMemory(error) || tx.changes() > before || !(await isSound())) throw await takeBack(error);
          shared.batches.pop();
          throw error;
        }
      }),
    commit: () => turn(() => commitShared(largeAtEnd)),
    close() {
      end();
    },
  };
}

function createBatch(read: object): Batch {
  let end: Batch['end'] = () => {};
  const durable = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  // A read that does not wait for it gets the error with its next batch.
  durable.catch(() => {});
  return { read, durable, end };
}

const rolledBack = (error: unknown) =>
  new FirnError(
    'rolled_back',
    `A statement failed (${messageOf(error)}), and what other reads had written since the last ` +
      'commit was taken back with it. Nothing is lost: run again, and they go on from their checkpoints.',
    { retryable: true, cause: error },
  );
