import { type ErrorCode, FirnError } from '../../core/firnError.ts';
import type { Request, Response } from '../../core/requests/request.ts';
import type { LookupStream } from '../../core/stream/stream.ts';
import { unconfirmed } from '../../load/commit/batch.ts';
import type { Committer } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { createPageReader } from './readPages.ts';

/** A key that is open. */
export interface Wanted {
  readonly key: string;
  /** Whether there was nothing about it before. */
  readonly isAgain?: boolean;
}

/** A key that was asked for. */
export interface Looked extends Wanted {
  readonly request: Request;
  /** Null where there is an error. */
  readonly response: Response | null;
  readonly error?: FirnError;
}

type Missed = Looked & Required<Pick<Looked, 'error'>>;

/** Errors that are outcomes of a key, and those that may be of one alone; any other is an error of the partition. */
const outcomes: readonly ErrorCode[] = ['not_found', 'refused'];
const ofOne: readonly ErrorCode[] = ['unavailable', 'contract', 'failed'];

/** Where a server sends elsewhere, such as to a login, it says nothing of the key. */
const isMoved = ({ context: { status = 0 } }: FirnError) => status >= 300 && status < 400;
export const isOutcome = (error: FirnError) => outcomes.includes(error.code) && !isMoved(error);
export const isOfOne = (error: unknown): error is FirnError =>
  error instanceof FirnError && (ofOne.includes(error.code) || isMoved(error));

/** Notes what came of keys that were asked for, and keeps what is to be decided once all were. */
export class LookupAnswers {
  /** What the read fails with, once all that came is noted. */
  failed: unknown;
  readonly #doubted: Missed[] = [];
  #isAnswering = false;
  #records = 0;
  readonly #committer: Committer;
  readonly #gathering;
  readonly #source: string;
  readonly #pages;

  constructor(stream: LookupStream, context: ReadContext, committer: Committer) {
    this.#committer = committer;
    this.#source = stream.source.name;
    this.#gathering = () => committer.batch.gathering(stream, context.partition);
    this.#pages = createPageReader(stream, context, {
      gathering: this.#gathering,
      add: (page, { kept }, from) => {
        this.#records += kept;
        committer.batch.add(page, kept, from);
      },
    });
  }

  /** @throws what is not of one key alone */
  async take(looked: Looked): Promise<void> {
    const { error } = looked;
    // A server of JSON-RPC that says so knows what it was asked for.
    const isSure = error?.code === 'not_found' && error.context.rpcCode !== undefined;
    if (!error || isSure) {
      this.#isAnswering = true;
      await this.#note(looked, error ? error.code : 'found').catch((problem) => this.#fail(problem));
    } else if (isOutcome(error)) this.#doubted.push({ ...looked, error });
    else this.#fail(error);
  }

  /**
   * Notes of all others that they are not there, or refused.
   *
   * @param answersAgain whether the source still has what was found there last; asked where it answered nothing
   * @param elsewhere which keys the source still has in another partition; asked where it has nothing of this one
   * @throws what one of the keys failed with
   */
  async end(
    answersAgain: () => Promise<boolean>,
    elsewhere: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    const doubted = this.#doubted;
    const isBelieved = doubted.length === 0 || this.#isAnswering || (await answersAgain());
    const missed = doubted.filter(({ error }) => error.code === 'not_found').map(({ key }) => key);
    const believed = isBelieved ? null : await elsewhere(missed);
    for (const one of doubted)
      if (believed?.has(one.key) ?? true) await this.#note(one, one.error.code);
      else this.failed ??= this.#notAnswering(one.error, missed);
    if (this.failed) throw this.failed;
  }

  async #note({ key, isAgain, request, response }: Looked, outcome: string): Promise<void> {
    const before = this.#records;
    if (response) this.#pages.give(request, response);
    else this.#committer.batch.add(this.#gathering(), 0, { request, bytes: 0, fetchedAt: 0 });
    await this.#pages.settle();
    const isNothing = this.#records === before;
    this.#committer.batch.noteLookup({ key, outcome: isNothing && !isAgain ? unconfirmed : outcome, isAgain });
  }

  #notAnswering({ code, message, context }: FirnError, missed: readonly string[]): FirnError {
    return new FirnError(
      code,
      `${message} No key that was asked for was answered, nor one that was found before: nothing is noted of them, and the next run asks again. ` +
        `Check sources.${this.#source}.url; if it is right, there are no such keys here: take those that the configuration names out of it.`,
      { context: { ...context, missed } },
    );
  }

  #fail(error: unknown): void {
    if (!isOfOne(error)) throw error;
    this.failed ??= error;
  }
}
