/** An error that a JSON-RPC answer carries: thrown by handlers, written by the endpoint in its own form. */
export class RpcError extends Error {
  readonly code: number;

  constructor(message: string, code = -32000) {
    super(message);
    this.code = code;
  }
}

/** JSON text of a string as Go writes it: like JSON.stringify, with <, > and & escaped. */
export function goString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
