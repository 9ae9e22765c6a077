import type { DuckDBConnection } from '@duckdb/node-api';
import { FirnError, hasCode, messageOf } from '../../core/firnError.ts';
import { endsDatabase, isOutOfMemory } from '../diskError.ts';
import { commit } from './inTransaction.ts';
import type { createTransaction, Transaction } from './transaction.ts';

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

/** A transaction that has begun. */
interface Open {
  readonly batches: Batch[];
  readonly timer: NodeJS.Timeout;
  bytes: number;
}

interface Uses {
  readonly connection: DuckDBConnection;
  readonly tx: ReturnType<typeof createTransaction>;
  /** Runs work once nothing else is done with the connection. Every method but `forget` and `narrowTo` is called in such a turn. */
  turn(work: () => Promise<void>): Promise<void>;
  /** See `OpenOptions`. */
  readonly roomierLimits: readonly string[];
  /** Attaches the database again, which has ended. */
  reattach(): Promise<void>;
}

/** It is committed after so many bytes of answers, or milliseconds since it began: a kill costs no more than that. */
const mostBytes = 200e6;
const mostMs = 2000;
/** Bytes of answers from which on a commit writes into the tables at once: the last rows of each, written anew, cost less than the log then. */
const largeBytes = 64e6;
/** Bytes of answers that a process reads before DuckDB is narrowed: no full batches wait beside it until then. */
const smallBytes = 24e6;

/**
 * How large the log may be before it is written into the tables. That writes the last rows of every table anew: at 64 MB they cost a load of
 * small commits more than the log would, at 1 GB the waiting rows do not stay in memory.
 */
export const checkpointThreshold = '256MB';

/** The transaction that all reads write their batches into; see `Writer.write`. */
export class SharedTransaction {
  readonly #uses: Uses;
  readonly #roomierLimits: string[];
  /** What a read is told of which a batch was taken back. */
  readonly #lost = new WeakMap<object, unknown>();
  #open: Open | undefined;
  #isAlone = false;
  #bytes = 0;
  #narrower: string | undefined;

  constructor(uses: Uses) {
    this.#uses = uses;
    this.#roomierLimits = [...uses.roomierLimits];
  }

  /** See `Writer.narrowTo`. */
  narrowTo(limit: string): void {
    this.#narrower = limit;
  }

  /** Writes a batch; see `Writer.write`. */
  async write<T>(read: object, bytes: number, work: (tx: Transaction) => Promise<T>): Promise<Written<T>> {
    if (this.#lost.has(read)) throw this.#lost.get(read);
    this.#open ??= await this.#begin();
    const open = this.#open;
    const batch = createBatch(read);
    open.batches.push(batch);
    const { tx } = this.#uses;
    const before = tx.changes();
    try {
      const value = await work(tx);
      open.bytes += bytes;
      this.#bytes += bytes;
      if (this.#bytes >= smallBytes) await this.#narrow();
      if (this.#isAlone || open.bytes >= mostBytes) await this.commit();
      return { value, durable: batch.durable };
    } catch (error) {
      // A statement that was refused before it changed anything does no harm.
      if (isOutOfMemory(error) || tx.changes() > before || !(await this.#succeeds('SELECT 1')))
        throw await this.#takeBack(error);
      open.batches.pop();
      throw error;
    }
  }

  /** Makes durable what was written. @param large bytes of answers from which on it is written past the log */
  async commit(large = largeBytes): Promise<void> {
    if (!this.#open) return;
    try {
      await (this.#open.bytes >= large ? this.#commitWithoutLog() : commit(this.#uses.tx));
      for (const batch of this.#end()) batch.end();
    } catch (error) {
      await this.#takeBack(error);
    }
  }

  /** Takes the batches back where the error of another statement ended the transaction under them. */
  async endIfBroken(error: unknown): Promise<void> {
    if (this.#open && !(await this.#succeeds('SELECT 1'))) await this.#takeBack(error, false);
  }

  /** Forgets what is not durable. */
  forget(): void {
    this.#end();
  }

  async #begin(): Promise<Open> {
    const { tx, turn } = this.#uses;
    await tx.run('BEGIN TRANSACTION');
    const timer = setTimeout(() => {
      void turn(async () => {
        if (this.#open?.timer === timer) await this.commit();
      });
    }, mostMs);
    return { batches: [], timer, bytes: 0 };
  }

  #end(): readonly Batch[] {
    clearTimeout(this.#open?.timer);
    const batches = this.#open?.batches ?? [];
    this.#open = undefined;
    return batches;
  }

  async #commitWithoutLog(): Promise<void> {
    const { connection, tx } = this.#uses;
    await connection.run("SET GLOBAL checkpoint_threshold = '1MB'");
    try {
      await commit(tx);
    } finally {
      await this.#succeeds(`SET GLOBAL checkpoint_threshold = '${checkpointThreshold}'`);
    }
  }

  /**
   * Takes back the transaction; gives the error for its reads.
   *
   * @param isOfBatch whether it is one of the batches that failed
   */
  async #takeBack(error: unknown, isOfBatch = true): Promise<unknown> {
    const batches = this.#end();
    await this.#uses.tx.run('ROLLBACK').catch(() => {});
    // Many wide tables in one transaction may not fit, whichever came last: read again, they do.
    const isRoomier = isOutOfMemory(error) && (await this.#widen()) && (await this.#revive(error));
    // After a full disk the instance is dead: nothing can be read again.
    const isFinal = !isRoomier && ((isOfBatch && batches.length === 1) || hasCode(error, 'disk'));
    const told = isFinal ? error : rolledBack(error);
    this.#isAlone ||= !isFinal && !isRoomier;
    for (const batch of batches) {
      this.#lost.set(batch.read, told);
      batch.end(told);
    }
    return told;
  }

  async #narrow(): Promise<void> {
    const limit = this.#narrower;
    this.#narrower = undefined;
    if (limit !== undefined) await this.#succeeds(`SET memory_limit = '${limit}'`);
  }

  /** Gives DuckDB more memory, where it may have more. */
  async #widen(): Promise<boolean> {
    // It has more than all but the last of them yet.
    if (this.#narrower !== undefined) this.#roomierLimits.splice(0, this.#roomierLimits.length - 1);
    this.#narrower = undefined;
    const next = this.#roomierLimits.shift();
    // An instance that is dead takes no setting, and its batches must be told nevertheless.
    return next !== undefined && this.#succeeds(`SET memory_limit = '${next}'`);
  }

  /** Whether the database can be used: a commit that did not fit where it was written into the tables has ended it. */
  async #revive(error: unknown): Promise<boolean> {
    return !endsDatabase(error) || succeeds(this.#uses.reattach());
  }

  #succeeds(sql: string): Promise<boolean> {
    return succeeds(this.#uses.connection.run(sql));
  }
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

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
