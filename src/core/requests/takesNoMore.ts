/** Whether an error of JSON-RPC says that the server takes no more requests for now. Providers number it as HTTP does, or have words alone. */
export const takesNoMore = ({ code, message }: { readonly code: number; readonly message: string }): boolean =>
  code === -32005 || code === 429 || /too many requests?\b|rate.?limit|request limit|per second/i.test(message);
