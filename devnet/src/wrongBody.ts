/** JSON that answers nothing: what a proxy, or a service under maintenance, sends with status 200. */
const wrongValues = ['{"message":"maintenance"}', '{}', '7', '"maintenance"', '{"chains":null}', '[]'] as const;

/**
 * A body that is not what was asked for. A JSON-RPC call gets it as the result under its own id, each call of a batch too.
 *
 * @param asked body of the request
 * @param number in [0, 1), says which
 */
export function wrongBody(asked: string, number: number): string {
  const value = wrongValues[Math.floor(number * wrongValues.length)] ?? '{}';
  const answered = ({ id = null }: Call) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${value}}`;
  const calls = callsIn(asked);
  if (calls === undefined) return value;
  return Array.isArray(calls) ? `[${calls.map(answered).join(',')}]` : answered(calls);
}

interface Call {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
}

/** The JSON-RPC call or batch of a body; undefined where it is malformed. */
function callsIn(body: string): Call | Call[] | undefined {
  try {
    const parsed = JSON.parse(body) as Call | Call[];
    return Array.isArray(parsed) || parsed.jsonrpc !== undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}
