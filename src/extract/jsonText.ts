/** JSON text of a request body. Integers as bigint go out as decimal strings, which nodes take for numbers; a string is JSON text already. */
export function jsonText(body: unknown): string {
  if (typeof body === 'string') return body;
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
