const noMore =
  /too many requests?\b|rate.?limit|rate exceeded|request limit|usage limit|credits (?:are )?exhausted|(?:capacity|quota|request count|monthly|daily).{0,20}exceeded|exceeded the quota|limited to [\d,.]+ ?(?:\/|per) ?[smhd]|per second/i;

/** What servers say that take no batches at all. One kind of them (jsonrpsee) has the number for it that others have for too many requests. */
const noBatches = /^batch(?:ed)? requests? (?:are )?not supported/i;

/** Whether an error of JSON-RPC says that the server takes no more requests for now. Providers number it as HTTP does, or have words alone. */
export const takesNoMore = ({ code, message }: { readonly code: number; readonly message: string }): boolean =>
  (code === -32005 && !noBatches.test(message)) || code === 429 || noMore.test(message);
