const secondsSyntax = /^\d+(?:\.\d+)?$/;
/** The three forms of an HTTP date start with the name of a day; `asctime` alone does not say that it means UTC. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
/** Some gateways write RFC 3339 in its place. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, an HTTP date in any of its three forms, or an RFC 3339 time. A
 * date is measured from the server's own `date` header where it sent one, since the local clock may be off. undefined when absent or unreadable.
 */
export function retryAfterMs(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (secondsSyntax.test(text)) return Number(text) * 1_000;
  const until = parseDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - serverNow(date, now));
}

/** The time by the server's own `date` header, where it sent one: a moment that it names is meant by that clock. */
export const serverNow = (date: string | undefined, now: number): number => parseDate(date?.trim() ?? '') ?? now;

function parseDate(text: string): number | undefined {
  if (!httpDate.test(text) && !rfc3339.test(text)) return undefined;
  const time = Date.parse(/(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
