import type { ReadResult } from './partitionContext.ts';
import type { RangeLook } from './readRange.ts';

/** The outcome of a partition so far. */
export class Tally {
  /** Positions that are left. */
  behind = 0;
  requests = 0;
  seconds = 0;
  /** Path of the last request. */
  lastPath = '';
  look: RangeLook | undefined;
  failure: unknown;
  readonly notes: string[] = [];
  #read: ReadResult = { rows: 0, childRows: 0, quarantined: 0, bytes: 0 };
  /** Requests that commits have told of. */
  #toldRequests = 0;

  constructor(failure: unknown) {
    this.failure = failure;
  }

  /** Adds what was committed: it stays and is reported, whatever happens after it. */
  add({ rows, childRows, quarantined, bytes }: ReadResult): void {
    const read = this.#read;
    this.#read = {
      rows: read.rows + rows,
      childRows: read.childRows + childRows,
      quarantined: read.quarantined + quarantined,
      bytes: read.bytes + bytes,
    };
  }

  /** Requests since the last call. */
  takeRequests(): number {
    const taken = this.requests - this.#toldRequests;
    this.#toldRequests = this.requests;
    return taken;
  }

  /** What is told of it. */
  told() {
    const { behind, requests, seconds } = this;
    return { ...this.#read, ...(behind > 0 && { behind }), requests, seconds };
  }
}
