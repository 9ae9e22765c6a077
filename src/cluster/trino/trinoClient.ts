import { Agent, request } from 'undici';
import { FirnError } from '../../core/firnError.ts';
import { parseLossless } from '../../core/parseLossless.ts';
import { systemClock } from '../../extract/clock.ts';
import { outcomeUnknown, statementError, type TrinoFailure } from './statementError.ts';
import { type TrinoType, trinoValue } from './trinoValue.ts';

export interface TrinoOptions {
  /** Of the coordinator, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly user: string;
  /** Trino takes a password over https only. */
  readonly password?: string | undefined;
  readonly catalog: string;
  readonly signal?: AbortSignal | undefined;
}

export interface TrinoResult<R> {
  /** The query's id, by which Trino's own pages know it. */
  readonly query: string;
  readonly rows: R[];
  /** Trino's types by column name, such as `decimal(38, 0)`. */
  readonly types: Readonly<Record<string, string>>;
  /** Rows written, of a statement that writes. */
  readonly written: number;
}

/** Runs statements on a Trino, one after the other or many at once. */
export interface TrinoClient {
  /**
   * Runs a statement to its end.
   *
   * @param session session properties of this statement
   * @returns its rows by column name (values as `trinoValue` says)
   * @throws FirnError `failed` or `unavailable` as Trino says, `unauthorized`, or `unavailable` with the reason `outcome_unknown`
   */
  run<R extends object>(sql: string, session?: Readonly<Record<string, string>>): Promise<TrinoResult<R>>;
  close(): Promise<void>;
}

/** An answer of `/v1/statement`; numbers in it are text. */
interface Answer {
  readonly id: string;
  readonly nextUri?: string;
  readonly columns?: readonly { readonly name: string; readonly type: string; readonly typeSignature: TrinoType }[];
  readonly data?: unknown[][] | Spooled;
  readonly error?: TrinoFailure;
  readonly updateCount?: string;
}

/** Rows beside the answer: in it as base64, or where the server put them. */
interface Spooled {
  readonly encoding: string;
  readonly segments: readonly Segment[];
}

type Segment =
  | { readonly type: 'inline'; readonly data: string }
  | {
      readonly type: 'spooled';
      readonly uri: string;
      readonly ackUri?: string;
      readonly headers?: Readonly<Record<string, readonly string[]>>;
    };

interface Asked {
  readonly method?: 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The statement itself: sent again only if it surely did not arrive. */
  readonly once?: boolean;
  readonly query?: string;
}

/** How often one page of an answer is asked for, and the longest wait between two times. */
const tries = 8;
const longestWait = 5_000;

export function createTrinoClient({ url, user, password, catalog, signal }: TrinoOptions): TrinoClient {
  const dispatcher = new Agent({ headersTimeout: 120_000, bodyTimeout: 120_000, connect: { timeout: 10_000 } });
  const headers = {
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
  };

  /** The outcome of a query that was running is unknown: a coordinator that was started again does not know it. */
  const lost = (query: string | undefined, cause: unknown): FirnError =>
    query === undefined ? refused(url, cause as Error) : outcomeUnknown(url, query, cause);

  async function ask(target: string, options: Asked) {
    const { once = false, query, ...rest } = options;
    for (let attempt = 1; ; attempt++) {
      let cause: unknown;
      try {
        const { statusCode, body } = await request(target, { headers, ...rest, dispatcher, signal: signal ?? null });
        const text = await body.text();
        if (statusCode < 300) return text;
        // A storage says 403, too, once what it was asked by is no longer valid: another run of the statement gives a new one.
        const isOfTrino = once || rest.headers === undefined;
        if (isOfTrino && [401, 403].includes(statusCode)) throw unauthorized(url, user, statusCode);
        cause = new Error(`it answered ${statusCode} ${text.slice(0, 200)}`);
        // A server that is too busy did not look at the statement. What a gateway says may be about one that runs.
        if (once && [502, 504].includes(statusCode)) throw outcomeUnknown(url, query, cause);
        if (![429, 502, 503, 504].includes(statusCode)) throw lost(query, cause);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof FirnError) throw error;
        cause = error;
        // The statement may be running already: sent again it would run twice.
        if (once && !isRefusedConnection(error))
          throw isRefusedTls(error) ? lost(query, error) : outcomeUnknown(url, query, error);
      }
      if (attempt === tries) throw lost(query, cause);
      await systemClock.sleep(Math.min(longestWait, 50 * 2 ** attempt) * (0.5 + Math.random() / 2), signal);
    }
  }

  /** @throws FirnError `contract` for a page of a proxy in place of an answer */
  const parse = <T>(text: string): T => {
    try {
      return parseLossless(text, { numbers: 'text' }) as T;
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new FirnError(
        'contract',
        `${url} did not answer as a Trino: ${JSON.stringify(text.slice(0, 200))}. See engine.trino, and what stands before Trino.`,
        { cause },
      );
    }
  };

  async function rowsOf(data: Answer['data'], query: string): Promise<unknown[][]> {
    if (data === undefined || Array.isArray(data)) return data ?? [];
    if (data.encoding !== 'json') {
      throw new FirnError('contract', `Trino at ${url} sent rows as ${data.encoding}, and was asked for json.`);
    }
    const rows: unknown[][] = [];
    for (const segment of data.segments) {
      if (segment.type === 'inline') {
        rows.push(...parse<unknown[][]>(Buffer.from(segment.data, 'base64').toString()));
        continue;
      }
      const own = Object.fromEntries(
        Object.entries(segment.headers ?? {}).map(([name, values]) => [name, values.join(', ')]),
      );
      for (const row of parse<unknown[][]>(await ask(segment.uri, { headers: own, query }))) rows.push(row);
      // Only lets the server remove it sooner.
      if (segment.ackUri) await ask(segment.ackUri, { headers: own, query }).catch(() => {});
    }
    return rows;
  }

  async function run<R extends object>(sql: string, session: Readonly<Record<string, string>> = {}) {
    const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    let answer = parse<Answer>(
      await ask(`${url}/v1/statement`, {
        method: 'POST',
        body: sql,
        headers: { ...headers, ...(properties.length > 0 && { 'x-trino-session': properties.join(',') }) },
        once: true,
      }),
    );
    const query = answer.id;
    const rows: R[] = [];
    const types: Record<string, string> = {};
    let written = 0;
    try {
      for (;;) {
        if (answer.error) throw statementError(sql, query, answer.error);
        const { columns = [] } = answer;
        for (const { name, type } of columns) types[name] = type;
        for (const row of await rowsOf(answer.data, query)) {
          rows.push(
            Object.fromEntries(
              columns.map(({ name, typeSignature }, i) => [name, trinoValue(row[i], typeSignature)]),
            ) as R,
          );
        }
        written = Number(answer.updateCount ?? written);
        if (answer.nextUri === undefined) return { query, rows, types, written };
        answer = parse<Answer>(await ask(answer.nextUri, { query }));
      }
    } catch (error) {
      // It may still be running, and nobody will read its rows.
      if (answer.nextUri) await request(answer.nextUri, { method: 'DELETE', headers, dispatcher }).catch(() => {});
      throw error;
    }
  }

  return { run, close: () => dispatcher.close() };
}

/** The other end of the connection was never reached, but may be the next time. */
const isRefusedConnection = (error: unknown): boolean =>
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(codeOf(error));

/** Both ends do not agree on how to be secret, so no statement was sent; nor will they the next time. */
const isRefusedTls = (error: unknown): boolean => /CERT|SIGNATURE|^ERR_(SSL|TLS)_|^EPROTO$/.test(codeOf(error));

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

const refused = (url: string, cause: Error): FirnError =>
  new FirnError(
    'unavailable',
    `Trino at ${url} took no statement: ${cause.message || (cause as { code?: string }).code}.`,
    {
      retryable: true,
      cause,
    },
  );

const unauthorized = (url: string, user: string, status: number): FirnError =>
  new FirnError(
    'unauthorized',
    `Trino at ${url} does not let ${user} in (${status}): see engine.user and engine.password.`,
  );
