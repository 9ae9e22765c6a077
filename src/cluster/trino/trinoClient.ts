import { FirnError } from '../../core/firnError.ts';
import { statementError, type TrinoFailure } from './statementError.ts';
import { type SessionProperties, TrinoHttp, type TrinoOptions } from './trinoHttp.ts';
import { type TrinoType, trinoValue } from './trinoValue.ts';

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
   * @returns its rows by column name (values as `trinoValue` says)
   * @throws FirnError `failed` or `unavailable` as Trino says, `unauthorized`, or `unavailable` with the reason `outcome_unknown`
   */
  run<R extends object>(sql: string, session?: SessionProperties): Promise<TrinoResult<R>>;
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

export function createTrinoClient(options: TrinoOptions): TrinoClient {
  const http = new TrinoHttp(options);
  return { run: (sql, session) => run(http, sql, session), close: () => http.close() };
}

async function run<R extends object>(
  http: TrinoHttp,
  sql: string,
  session?: SessionProperties,
): Promise<TrinoResult<R>> {
  let answer = await http.begin<Answer>(sql, session);
  const query = answer.id;
  const rows: R[] = [];
  const types: Record<string, string> = {};
  let written = 0;
  try {
    for (;;) {
      if (answer.error) throw statementError(sql, query, answer.error);
      const { columns = [] } = answer;
      for (const { name, type } of columns) types[name] = type;
      for (const row of await rowsOf(http, answer.data, query))
        rows.push(
          Object.fromEntries(
            columns.map(({ name, typeSignature }, i) => [name, trinoValue(row[i], typeSignature)]),
          ) as R,
        );
      written = Number(answer.updateCount ?? written);
      if (answer.nextUri === undefined) return { query, rows, types, written };
      answer = await http.ask<Answer>(answer.nextUri, { query });
    }
  } catch (error) {
    // It may still be running, and nobody will read its rows.
    if (answer.nextUri) await http.cancel(answer.nextUri);
    throw error;
  }
}

async function rowsOf(http: TrinoHttp, data: Answer['data'], query: string): Promise<unknown[][]> {
  if (data === undefined || Array.isArray(data)) return data ?? [];
  if (data.encoding !== 'json')
    throw new FirnError('contract', `Trino at ${http.url} sent rows as ${data.encoding}, and was asked for json.`);
  const rows: unknown[][] = [];
  for (const segment of data.segments) for (const row of await segmentRows(http, segment, query)) rows.push(row);
  return rows;
}

async function segmentRows(http: TrinoHttp, segment: Segment, query: string): Promise<unknown[][]> {
  if (segment.type === 'inline') return http.parse(Buffer.from(segment.data, 'base64').toString());
  const headers = Object.fromEntries(
    Object.entries(segment.headers ?? {}).map(([name, values]) => [name, values.join(', ')]),
  );
  const rows = await http.ask<unknown[][]>(segment.uri, { headers, query });
  // Only lets the server remove it sooner.
  if (segment.ackUri) await http.ask(segment.ackUri, { headers, query }).catch(() => {});
  return rows;
}
