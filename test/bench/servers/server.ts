/** What a server of the bench serves, ready to answer. */
export interface Server {
  /** Rows that a warehouse holds once all of it was read, by raw table; the first is the one whose rows are counted. */
  readonly stored: Readonly<Record<string, number>>;
  /** What firn is told to read. */
  readonly source: 'node' | 'data';
  readonly streams: Readonly<Record<string, object>>;
  /** Paths of paged lists, for those that read them without firn. */
  readonly paths?: readonly string[];
  /** The answer to a request, as ASCII text. */
  answer(path: string, body: string): string;
}

/** Makes a server of about so many records. */
export type CreateServer = (rows: number) => Server | Promise<Server>;

/** Parameters of a call: by place or by name. */
type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Answers calls, alone and in batches. @param resultOf JSON text; undefined for a method that the server does not have */
export function answerRpc(body: string, resultOf: (method: string, params: Parameters) => string | undefined): string {
  const one = ({ id, method, params }: { id: unknown; method: string; params: Parameters }) => {
    const result = resultOf(method, params);
    const outcome =
      result === undefined ? '"error":{"code":-32601,"message":"method not found"}' : `"result":${result}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
  };
  const asked = JSON.parse(body);
  return Array.isArray(asked) ? `[${asked.map(one).join(',')}]` : one(asked);
}
