import { createBatchSize } from './batchSize.ts';

/** So many refusals in a row, each of a batch that was sent after the one before, and no more batches are sent. */
const mostRefusals = 3;

/** What a server has shown of batches. */
export class ServerBatches {
  readonly size;
  /** Whether it is sent any. */
  areTaken: boolean;
  /** Refusals in a row. */
  refusals = 0;
  /** Whether it has answered one. */
  wereTaken = false;

  /** @param most calls in one batch */
  constructor(most: number) {
    this.size = createBatchSize(most);
    this.areTaken = most > 1;
  }

  /** A batch was answered. */
  answered(): void {
    this.wereTaken = true;
    this.refusals = 0;
  }

  /**
   * A batch was refused. A server that took batches before does not refuse them as such: a smaller one is tried.
   *
   * @param before refusals in a row when it was sent
   */
  refused(calls: number, before: number): void {
    if (this.refusals === before) this.refusals++;
    if (this.wereTaken && this.refusals < mostRefusals) this.size.tooMuch(calls);
    else this.areTaken = false;
  }
}
