/** How number literals come back: as numbers, with bigint where a number cannot hold the integer; or each as its own text. */
export type Numbers = 'lossless' | 'text';

/** Integers with fewer digits are below 2^53. */
const SAFE_DIGITS = 15;
const NUMBER_RUN = /-?\d[-+.\deE]*/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;
const COLON = /[ \t\n\r]*:/y;
/** Longer strings are worth cutting out. */
const LONG_TEXT = 512;

/**
 * Parses JSON without losing a digit of an integer.
 *
 * With `numbers: 'lossless'` (the default) an integer literal beyond ±(2^53 - 1) comes back as bigint and everything else
 * as `JSON.parse` gives it; a literal with a fraction or an exponent stays a number. With `numbers: 'text'` every number
 * literal comes back as the text that was served (`1.2e21`, `27`, `0.10`).
 *
 * Works by quoting the literals in question and leaving the parsing to `JSON.parse`, so a text is valid here exactly when
 * it is valid there. Texts without such literals cost one scan over the quotes. Where long strings make up most of a text,
 * as the hex of containers does, they are cut out of it before and come back as parts of it: `JSON.parse` would make a
 * copy of each, which the garbage collector would copy again (an eighth of the time of a load of containers). This is the
 * one leniency: a control character in a string of more than 512 characters is let through.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseLossless(text: string, options: { numbers?: Numbers } = {}): unknown {
  if (options.numbers === 'text') {
    const literals = scan(text, 1, (literal) => NUMBER.test(literal)).filter(({ isString }) => !isString);
    return parseReplaced(
      text,
      replaced(text, literals, (literal) => `"${literal}"`),
    );
  }
  const found = scan(text, SAFE_DIGITS + 1, isUnsafeInteger);
  const inLongStrings = found.reduce((sum, { isString, begin, end }) => (isString ? sum + end - begin : sum), 0);
  const pieces = inLongStrings > text.length / 2 ? found : found.filter(({ isString }) => !isString);
  if (pieces.length === 0) return JSON.parse(text);
  const mark = unusedMark(text);
  const escaped = '\\u0001'.repeat(mark.length);
  const short = replaced(text, pieces, (_, place) => `"${escaped}${place}"`);
  return putBack(parseReplaced(text, short), mark, (place) => {
    const { isString, begin, end } = pieces[place] as Piece;
    return isString ? text.slice(begin + 1, end - 1) : BigInt(text.slice(begin, end));
  });
}

function isUnsafeInteger(literal: string): boolean {
  return LONG_INTEGER.test(literal) && !Number.isSafeInteger(Number(literal));
}

/** Errors are told about the text that was served, not about the rewritten one. */
function parseReplaced(text: string, rewritten: string): unknown {
  try {
    return JSON.parse(rewritten);
  } catch {
    return JSON.parse(text);
  }
}

/** A literal in the text: a number, or a long string with its quotes. */
interface Piece {
  readonly isString: boolean;
  readonly begin: number;
  readonly end: number;
}

/** Finds, in order, the number literals outside strings that `wanted` picks, and long strings without escapes. */
function scan(text: string, shortest: number, wanted: (literal: string) => boolean): Piece[] {
  const pieces: Piece[] = [];
  let nextEscape = -1;
  let position = 0;
  while (position < text.length) {
    // Mostly a comma or a colon lies between two strings, which spares a search.
    const isNext = text.charCodeAt(position) !== 0x22 && text.charCodeAt(position + 1) === 0x22;
    const quote = isNext ? position + 1 : text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    if (end - position >= shortest) {
      const between = text.slice(position, end);
      for (const { 0: literal, index } of between.matchAll(NUMBER_RUN)) {
        const begin = position + index;
        const piece = { isString: false, begin, end: begin + literal.length };
        // A number in the place of a member name is an error, and must not become valid by being quoted.
        if (literal.length >= shortest && wanted(literal) && !isName(text, piece.end)) pieces.push(piece);
      }
    }
    if (quote === -1) break;
    position = afterString(text, quote);
    if (position - quote > LONG_TEXT) {
      if (nextEscape < quote) nextEscape = positionOf(text, '\\', quote);
      const isClosed = text.charCodeAt(position - 1) === 0x22;
      if (isClosed && nextEscape > position && !isName(text, position)) {
        pieces.push({ isString: true, begin: quote, end: position });
      }
    }
  }
  return pieces;
}

/** Whether what ends here stands in the place of a member name. */
function isName(text: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(text);
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

function positionOf(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

/** The text with something else in the place of each piece. */
function replaced(
  text: string,
  pieces: readonly Piece[],
  replacement: (literal: string, place: number) => string,
): string {
  let result = '';
  let copied = 0;
  pieces.forEach(({ begin, end }, place) => {
    result += text.slice(copied, begin) + replacement(text.slice(begin, end), place);
    copied = end;
  });
  return result + text.slice(copied);
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

/** Replaces marked strings by what they stand for, in place. Walks with a stack of its own: depth is the server's choice. */
function putBack(root: unknown, mark: string, valueAt: (place: number) => unknown): unknown {
  const top = { root };
  const open: object[] = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const name in node) {
      const value = (node as Record<string, unknown>)[name];
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'string' && value.startsWith(mark)) {
        const original = valueAt(Number(value.slice(mark.length)));
        assign(node as Record<string, unknown>, name, original);
      }
    }
  }
  return top.root;
}

function assign(node: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') node[name] = value;
  else Object.defineProperty(node, name, { value, writable: true, enumerable: true, configurable: true });
}
