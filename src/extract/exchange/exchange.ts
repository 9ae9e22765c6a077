import type { Dispatcher } from 'undici';
import { type Bounds, beyond, bounds as known } from '../../core/json/bounds.ts';
import type { Clock } from '../clock.ts';
import type { Headers } from '../limits/serverLimits.ts';
import { createGathered } from './gathered.ts';
import type { HoldBytes } from './room.ts';
import { type Body, unpacked } from './unpacked.ts';

/** Milliseconds. `idle` is the longest silence inside a body, `total` the whole exchange from sending to the last byte. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly idle: number;
  readonly total: number;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Exchange extends Body {
  readonly status: number;
  readonly headers: Headers;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly bounds: Bounds;
  readonly signal: AbortSignal | undefined;
  readonly onHead: (status: number, headers: Headers) => void;
  /** Room for the body. */
  readonly hold: HoldBytes;
}

/** Nobody needs more of an error's body. */
const ofErrors: Bounds = { ...known.page, bytes: 65_536 };

/**
 * Sends one request once and reads the answer, whatever its status. Redirects are not followed.
 *
 * @throws errors of the network, undici and zlib as they are (they carry a `code`, `FIRN_TOTAL_TIMEOUT` for the total
 *   time) · the signal's reason · FirnError `contract` from reading the body of a 2xx
 */
export async function exchange(
  pool: Pick<Dispatcher, 'dispatch'>,
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<Exchange> {
  const { clock, timeouts, signal } = options;
  signal?.throwIfAborted();
  const receiver = new Receiver(options);
  const interrupt = () => receiver.stop(signal?.reason);
  const inTime = clock.after(timeouts.total, () => receiver.stop(totalTimeout(timeouts.total)));
  signal?.addEventListener('abort', interrupt);
  try {
    pool.dispatch(
      {
        method: request.method,
        path: request.target,
        headers: request.headers,
        body: request.body ?? null,
        headersTimeout: timeouts.headers,
        bodyTimeout: timeouts.idle,
      },
      receiver,
    );
    return await receiver.answer;
  } finally {
    inTime();
    signal?.removeEventListener('abort', interrupt);
  }
}

/** Takes an answer from undici as it comes: a stream, its iterator and a signal for each took a twentieth of a load of small pages. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Exchange>;
  readonly #options: ExchangeOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: Error | undefined;
  #head: Pick<Exchange, 'status' | 'headers'> | undefined;
  #bounds: Bounds = ofErrors;
  #wire = createGathered(0);
  #resolve!: (answer: Exchange) => void;
  #reject!: (error: unknown) => void;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the exchange with an error, and drops its connection. */
  stop(reason: Error): void {
    this.#stopped = reason;
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped) controller.abort(this.#stopped);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Those below only say that the answer will come.
    if (status < 200) return;
    this.#head = { status, headers };
    if (status < 300) this.#bounds = this.#options.bounds;
    this.#wire = createGathered(this.#bounds.bytes);
    this.#options.onHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const bytes = this.#wire.length + chunk.length;
    if (bytes > this.#bounds.bytes) {
      controller.abort(beyond(this.#bounds, 'bytes'));
      return;
    }
    this.#wire.add(chunk);
    const room = this.#options.hold(bytes);
    if (room === undefined) return;
    controller.pause();
    void room.then(() => controller.resume());
  }

  onResponseEnd(): void {
    const encoding = String(this.#head?.headers['content-encoding'] ?? '');
    const wire = this.#wire;
    // It gives the memory back itself: after an error, zlib may still read from it in its thread.
    this.#wire = createGathered(0);
    unpacked(wire, encoding, this.#bounds, this.#options.hold).then(
      (body) => this.#answered(body),
      (error) => this.onResponseError(undefined, error),
    );
  }

  onResponseError(_: unknown, error: Error): void {
    this.#wire.free();
    // The status of an error tells enough: its body may be cut, damaged or endless.
    if (this.#head && this.#bounds === ofErrors) this.#answered({ content: Buffer.alloc(0), wireBytes: 0 });
    else this.#reject(error);
  }

  #answered(body: Body): void {
    this.#resolve({ ...(this.#head as Pick<Exchange, 'status' | 'headers'>), ...body });
  }
}

const totalTimeout = (ms: number): Error =>
  Object.assign(new Error(`No complete answer within ${ms} ms`), { code: 'FIRN_TOTAL_TIMEOUT' });
