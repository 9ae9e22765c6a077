/** How number literals come back: as numbers, with bigint where a number cannot hold the integer; or each as its own text. */
export type Numbers = 'lossless' | 'text';

/** Integers with fewer digits are below 2^53. */
const SAFE_DIGITS = 15;
const NUMBER_RUN = /-?\d[-+.\deE]*/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;
const BEFORE_COLON = /^[ \t\n\r]*:/;

/**
 * Parses JSON without losing a digit of an integer.
 *
 * With `numbers: 'lossless'` (the default) an integer literal beyond ±(2^53 - 1) comes back as bigint and everything else
 * as `JSON.parse` gives it; a literal with a fraction or an exponent stays a number. With `numbers: 'text'` every number
 * literal comes back as the text that was served (`1.2e21`, `27`, `0.10`).
 *
 * Works by quoting the literals in question and leaving the parsing to `JSON.parse`, so a text is valid here exactly when
 * it is valid there. Texts without such literals cost one scan over the quotes.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseLossless(text: string, options: { numbers?: Numbers } = {}): unknown {
  if (options.numbers === 'text') {
    return parseQuoted(
      text,
      quoteNumbers(text, 1, '', (literal) => NUMBER.test(literal)),
    );
  }
  const mark = unusedMark(text);
  const quoted = quoteNumbers(text, SAFE_DIGITS + 1, '\\u0001'.repeat(mark.length), isUnsafeInteger);
  return quoted === text ? JSON.parse(text) : unmark(parseQuoted(text, quoted), mark);
}

function isUnsafeInteger(literal: string): boolean {
  return LONG_INTEGER.test(literal) && !Number.isSafeInteger(Number(literal));
}

/** Errors are told about the text that was served, not about the rewritten one. */
function parseQuoted(text: string, quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    return JSON.parse(text);
  }
}

/** Puts `prefix` and quotes around the number literals outside strings that `wanted` picks. */
function quoteNumbers(text: string, shortest: number, prefix: string, wanted: (literal: string) => boolean): string {
  let result = '';
  let copied = 0;
  let position = 0;
  while (position < text.length) {
    const quote = text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    if (end - position >= shortest) {
      const between = text.slice(position, end);
      for (const { 0: literal, index } of between.matchAll(NUMBER_RUN)) {
        // A number in the place of a member name is an error, and must not become valid by being quoted.
        if (literal.length < shortest || !wanted(literal) || BEFORE_COLON.test(between.slice(index + literal.length)))
          continue;
        result += `${text.slice(copied, position + index)}"${prefix}${literal}"`;
        copied = position + index + literal.length;
      }
    }
    if (quote === -1) break;
    position = afterString(text, quote);
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Position after the string that opens at `quote`; the end of the text when it is never closed. */
function afterString(text: string, quote: number): number {
  for (let close = text.indexOf('"', quote + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    let escapes = close;
    while (text.charCodeAt(escapes - 1) === 0x5c) escapes -= 1;
    if ((close - escapes) % 2 === 0) return close + 1;
  }
  return text.length;
}

/**
 * A run of U+0001 that no string of the text starts with. JSON can write that character only as the escape `\u0001`, so one
 * more than the longest run of that escape is never met.
 */
function unusedMark(text: string): string {
  if (!text.includes('\\u0001')) return '\u0001';
  let longest = 0;
  for (const [run] of text.matchAll(/(?:\\u0001)+/g)) longest = Math.max(longest, run.length / '\\u0001'.length);
  return '\u0001'.repeat(longest + 1);
}

/** Replaces marked strings by bigint, in place. Walks with a stack of its own: depth is the server's choice. */
function unmark(root: unknown, mark: string): unknown {
  const top = { root };
  const open: object[] = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const name in node) {
      const value = (node as Record<string, unknown>)[name];
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'string' && value.startsWith(mark)) {
        const integer = BigInt(value.slice(mark.length));
        // defineProperty, because a member may be called __proto__.
        Object.defineProperty(node, name, { value: integer, writable: true, enumerable: true, configurable: true });
      }
    }
  }
  return top.root;
}
