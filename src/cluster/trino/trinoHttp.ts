import { request } from 'undici';
import { FirnError } from '../../core/firnError.ts';
import { parseLossless } from '../../core/json/parseLossless.ts';
import { wasNotSent } from '../../extract/answers/answerError.ts';
import { systemClock } from '../../extract/clock.ts';
import { connectionsToAny } from '../../extract/connections/openConnections.ts';
import { throwIfAborted } from '../../extract/interruption.ts';
import { outcomeUnknown } from './statementError.ts';

/** Session properties of a statement, by their names. */
export type SessionProperties = Readonly<Record<string, string>>;

export interface TrinoOptions {
  /** Of the coordinator, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly user: string;
  /** Trino takes a password over https only. */
  readonly password?: string | undefined;
  readonly catalog: string;
  readonly signal?: AbortSignal | undefined;
}

interface Asked {
  readonly method?: 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The statement itself: sent again only if it surely did not arrive. */
  readonly once?: boolean;
  readonly query?: string;
}

/** Why a request brought no answer, and whether it may be sent again. */
interface Refusal {
  readonly error: FirnError;
  readonly again: boolean;
}

/** How often one page of an answer is asked for, and the longest wait between two times. */
const tries = 8;
const longestWait = 5_000;

/** Requests to a Trino, and to where it puts rows: sent again where that can help and does no harm. */
export class TrinoHttp {
  readonly url: string;
  readonly #user: string;
  readonly #signal: AbortSignal | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #dispatcher = connectionsToAny(10_000);

  constructor(options: TrinoOptions) {
    this.url = options.url;
    this.#user = options.user;
    this.#signal = options.signal;
    this.#headers = headersOf(options);
  }

  /** Sends a statement. @throws FirnError as `TrinoClient.run` */
  begin<T>(sql: string, session: SessionProperties = {}): Promise<T> {
    const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return this.ask<T>(`${this.url}/v1/statement`, {
      method: 'POST',
      body: sql,
      headers: { ...this.#headers, ...(properties.length > 0 && { 'x-trino-session': properties.join(',') }) },
      once: true,
    });
  }

  /** Gets an answer. @throws FirnError as `TrinoClient.run` */
  async ask<T>(target: string, asked: Asked): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(target, asked);
      if (typeof answer === 'string') return this.parse<T>(answer);
      if (!answer.again || attempt === tries) throw answer.error;
      const wait = Math.min(longestWait, 50 * 2 ** attempt) * (0.5 + Math.random() / 2);
      await systemClock.sleep(wait, this.#signal);
    }
  }

  /** @throws FirnError `contract` for a page of a proxy in place of an answer */
  parse<T>(text: string): T {
    try {
      return parseLossless(text, { numbers: 'text' }) as T;
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new FirnError(
        'contract',
        `${this.url} did not answer as a Trino: ${JSON.stringify(text.slice(0, 200))}. See engine.trino, and what stands before Trino.`,
        { cause },
      );
    }
  }

  /** Has a query end, if Trino hears of it. */
  async cancel(uri: string): Promise<void> {
    const how = { headers: this.#headers, dispatcher: this.#dispatcher, signal: AbortSignal.timeout(10_000) };
    // What is said to it has to be taken, or its connection would never be closed.
    await request(uri, { method: 'DELETE', ...how })
      .then(({ body }) => body.dump())
      .catch(() => {});
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  async #send(target: string, asked: Asked): Promise<string | Refusal> {
    const { once, query, ...rest } = asked;
    try {
      const { statusCode, body } = await request(target, {
        headers: this.#headers,
        headersTimeout: 120_000,
        bodyTimeout: 120_000,
        ...rest,
        dispatcher: this.#dispatcher,
        signal: this.#signal ?? null,
      });
      const text = await body.text();
      return statusCode < 300 ? text : this.#refused(asked, statusCode, text);
    } catch (error) {
      throwIfAborted(this.#signal);
      return this.#broken(asked, error);
    }
  }

  #refused({ once = false, query, headers }: Asked, status: number, text: string): Refusal {
    // A storage says 403, too, once what it was asked by is no longer valid: another run of the statement gives a new one.
    const isOfTrino = once || headers === undefined;
    if (isOfTrino && [401, 403].includes(status))
      return { error: unauthorized(this.url, this.#user, status), again: false };
    const cause = new Error(`it answered ${status} ${text.slice(0, 200)}`);
    // A server that is too busy did not look at the statement. What a gateway says may be about one that runs.
    if (once && [502, 504].includes(status)) return { error: outcomeUnknown(this.url, query, cause), again: false };
    return { error: this.#lost(query, cause), again: [429, 502, 503, 504].includes(status) };
  }

  #broken({ once = false, query }: Asked, error: unknown): Refusal {
    if (!once || wasNotSent(error)) return { error: this.#lost(query, error), again: true };
    if (isRefusedTls(error)) return { error: this.#lost(query, error), again: false };
    // The statement may be running already: sent again it would run twice.
    return { error: outcomeUnknown(this.url, query, error), again: false };
  }

  /** The outcome of a query that was running is unknown: a coordinator that was started again does not know it. */
  #lost(query: string | undefined, cause: unknown): FirnError {
    return query === undefined ? refused(this.url, cause as Error) : outcomeUnknown(this.url, query, cause);
  }
}

const headersOf = ({ user, password, catalog }: TrinoOptions): Readonly<Record<string, string>> => ({
  'x-trino-user': user,
  'x-trino-source': 'firn',
  'x-trino-catalog': catalog,
  'x-trino-time-zone': 'UTC',
  // Without it times come with milliseconds.
  'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
  // This encoding alone: it needs no library.
  'x-trino-query-data-encoding': 'json',
  'content-type': 'text/plain; charset=utf-8',
  ...(password !== undefined && {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  }),
});

/** Both ends do not agree on how to be secret, so no statement was sent; nor will they the next time. */
const isRefusedTls = (error: unknown): boolean => /CERT|SIGNATURE|^ERR_(SSL|TLS)_|^EPROTO$/.test(codeOf(error));

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

const refused = (url: string, cause: Error): FirnError =>
  new FirnError(
    'unavailable',
    `Trino at ${url} took no statement: ${cause.message.trim() || codeOf(cause)}. Start it, or correct engine.trino: what waits for it is kept.`,
    { retryable: true, cause },
  );

const unauthorized = (url: string, user: string, status: number): FirnError =>
  new FirnError(
    'unauthorized',
    `Trino at ${url} does not let ${user} in (${status}): see engine.user and engine.password.`,
  );
