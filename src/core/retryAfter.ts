const secondsSyntax = /^\d+(?:\.\d+)?$/;
/** The three forms of an HTTP date start with the name of a day; `asctime` alone does not say that it means UTC. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP date in any of its three forms. A date is measured
 * from the server's own `date` header where it sent one, since the local clock may be off. undefined when absent or unreadable.
 */
export function retryAfterMs(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (secondsSyntax.test(text)) return Number(text) * 1_000;
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (parseHttpDate(date?.trim() ?? '') ?? now));
}

function parseHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  const time = Date.parse(/(?:GMT|UTC|Z|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
