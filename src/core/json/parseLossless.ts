import { type Bounds, beyond, bounds as known } from './bounds.ts';
import { Verbatim } from './verbatim.ts';

/** How number literals come back: as numbers, with bigint where a number cannot hold the integer; or each as its own text. */
export type Numbers = 'lossless' | 'text';

export interface ParseOptions {
  readonly numbers?: Numbers | undefined;
  /** Default: only the depth of a page. */
  readonly bounds?: Bounds | undefined;
}

/** Integers with fewer digits are below 2^53. */
const safeDigits = 15;
/** What is longer fits no column, and would take long to be made a bigint. */
const longestInteger = 100;
const numberSyntax = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const integerSyntax = /^-?[1-9]\d*$/;
const colonAhead = /[ \t\n\r]*:/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them inside of a string
const controlCharacter = /[\u0000-\u001f]/;
/** Longer strings are worth cutting out. */
const longText = 512;
/** One value that JSON.parse keeps as it is: an id, a version, a page token. */
const oneText = /^"[^"\\]{0,512}"$/;
const oneShortNumber = /^\d{1,15}$/;

const justDepth: Bounds = {
  ...known.page,
  values: Number.POSITIVE_INFINITY,
  items: Number.POSITIVE_INFINITY,
};

/**
 * Parses JSON without losing a digit, within bounds.
 *
 * With `numbers: 'lossless'` (the default) an integer literal beyond ±(2^53 - 1) comes back as bigint, a literal that a number
 * would not give back as it was written (`1e400`, `1.10`) as `Verbatim`, and everything else as `JSON.parse` gives it. With
 * `numbers: 'text'` every number literal comes back as the text that was served (`1.2e21`, `27`, `0.10`). What is nested deeper
 * than the bounds allow comes back as `Verbatim` too: nothing that walks values meets more.
 *
 * Works by quoting what is kept and leaving the parsing to `JSON.parse`, so a text is valid here exactly when it is valid there.
 * Values are counted on the same walk, so that a text that would take much memory is refused before it takes it. Where long strings make
 * up most of a text, as the hex of containers does, they are cut out of it first and come back as parts of it: `JSON.parse` would make a
 * copy of each, which the garbage collector would copy again (an eighth of the time of a load of containers).
 *
 * @throws SyntaxError as `JSON.parse` does · FirnError `contract` beyond the bounds on values and items
 */
export function parseLossless(text: string, { numbers = 'lossless', bounds = justDepth }: ParseOptions = {}): unknown {
  if (oneText.test(text) || (numbers === 'lossless' && oneShortNumber.test(text))) return JSON.parse(text);
  const found = scan(text, numbers, bounds);
  const inLongTexts = found.reduce((sum, { kind, begin, end }) => (kind === 'text' ? sum + end - begin : sum), 0);
  const pieces = inLongTexts > text.length / 2 ? found : found.filter(({ kind }) => kind !== 'text');
  if (pieces.length === 0) return JSON.parse(text);
  const isNested = pieces.some(({ kind }) => kind === 'nested');
  // What is not parsed must be valid all the same.
  if (isNested || holdsControl(text, pieces)) JSON.parse(text);
  if (numbers === 'text' && !isNested) return parseReplaced(text, pieces, (literal) => `"${literal}"`);
  const mark = unusedMark(text);
  const escaped = JSON.stringify(mark).slice(1, -1);
  return putBack(
    parseReplaced(text, pieces, (_, place) => `"${escaped}${place}"`),
    mark,
    (place) => keptOf(text, pieces[place] as Piece, numbers),
  );
}

/** Whether a long text holds a control character; between values, where lines end, they are allowed. */
const holdsControl = (text: string, pieces: readonly Piece[]): boolean =>
  pieces.some(({ kind }) => kind === 'text') &&
  controlCharacter.test(text) &&
  pieces.some(({ kind, begin, end }) => kind === 'text' && controlCharacter.test(text.slice(begin, end)));

function keptOf(text: string, { kind, begin, end }: Piece, numbers: Numbers): unknown {
  if (kind === 'text') return text.slice(begin + 1, end - 1);
  const json = text.slice(begin, end);
  if (kind === 'nested') return new Verbatim(json);
  if (numbers === 'text') return json;
  return integerSyntax.test(json) && json.length <= longestInteger ? BigInt(json) : new Verbatim(json);
}

/** Errors refer to the text that was served, not to the rewritten one. */
function parseReplaced(
  text: string,
  pieces: readonly Piece[],
  replacement: (literal: string, place: number) => string,
): unknown {
  try {
    return JSON.parse(replaced(text, pieces, replacement));
  } catch {
    return JSON.parse(text);
  }
}

/** A part of the text: a number, a long string with its quotes, or what is nested too deep. */
interface Piece {
  readonly kind: 'number' | 'text' | 'nested';
  readonly begin: number;
  readonly end: number;
}

/**
 * Finds, in order, what must not go through `JSON.parse`: number literals outside of strings that it would change (with `text`, all of
 * them), long strings without escapes, and what is nested too deep.
 *
 * @throws FirnError `contract` as soon as there are more values or items than the bounds allow
 */
function scan(text: string, numbers: Numbers, bounds: Bounds): Piece[] {
  const pieces: Piece[] = [];
  const { depth: deepest, values: mostValues, items: mostItems } = bounds;
  const commas = new Int32Array(deepest + 1);
  let depth = 0;
  let values = 0;
  let nestedFrom = 0;
  let nextEscape = -1;
  let at = 0;
  while (at < text.length) {
    let begin = at;
    let kind: Piece['kind'] | undefined;
    const code = text.charCodeAt(at);
    at += 1;
    switch (code) {
      case colon:
        break;
      case quote:
        at = afterString(text, begin);
        if (at - begin <= longText || numbers === 'text') break;
        if (nextEscape < begin) nextEscape = positionOf(text, '\\', begin);
        if (nextEscape > at && text.charCodeAt(at - 1) === quote) kind = 'text';
        break;
      case comma:
        values += 1;
        if (values > mostValues) throw beyond(bounds, 'values');
        if (depth >= 0 && depth <= deepest) {
          const many = (commas[depth] ?? 0) + 1;
          commas[depth] = many;
          if (many >= mostItems) throw beyond(bounds, 'items');
        }
        break;
      case openList:
      case openObject:
        values += 1;
        if (values > mostValues) throw beyond(bounds, 'values');
        depth += 1;
        if (depth <= deepest) commas[depth] = 0;
        else if (depth === deepest + 1) nestedFrom = begin;
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        if (depth === deepest) {
          begin = nestedFrom;
          kind = 'nested';
        }
        break;
      default: {
        if (!isDigitOrMinus(code)) break;
        let isPlain = code !== minus || text.charCodeAt(at) !== zero;
        for (
          let next = text.charCodeAt(at);
          isDigitOrMinus(next) || isOtherInNumber(next);
          next = text.charCodeAt(at)
        ) {
          isPlain &&= !isOtherInNumber(next);
          at += 1;
        }
        if (numbers === 'lossless' && isPlain && at - begin <= safeDigits) break;
        const literal = text.slice(begin, at);
        if (numbers === 'text' || !isHeld(literal)) kind = numberSyntax.test(literal) ? 'number' : undefined;
      }
    }
    // Where a member's name belongs it is an error or left alone, and must not become valid by being quoted.
    if (kind !== undefined && depth <= deepest && !isName(text, at)) pieces.push({ kind, begin, end: at });
  }
  return pieces;
}

/** Whether a JavaScript number keeps the literal, digit for digit. */
function isHeld(literal: string): boolean {
  const number = Number(literal);
  return String(number) === literal && (Number.isSafeInteger(number) || !integerSyntax.test(literal));
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const colon = 0x3a;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const isDigitOrMinus = (code: number): boolean => (code >= zero && code <= 0x39) || code === minus;

/** `+`, `.`, `e` and `E`. */
const isOtherInNumber = (code: number): boolean => code === 0x2b || code === 0x2e || (code | 0x20) === 0x65;

/** Whether what ends here is a member name. */
function isName(text: string, end: number): boolean {
  colonAhead.lastIndex = end;
  return colonAhead.test(text);
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
 * A text that no string of the document starts with, made of U+0001 to U+0003, which JSON can write in one way each. Where the document
 * holds U+0001 itself, it is followed by a word of 24 signs that the document does not hold: it would have to be longer than an answer is
 * to hold them all.
 */
function unusedMark(text: string): string {
  if (!text.includes('\\u0001')) return '\u0001';
  const used = new Set(
    Array.from(text.matchAll(/\\u0001((?:\\u000[23]){24})/g), ([, word = '']) => word.replace(/\\u000/g, '')),
  );
  let number = 0;
  const word = () => number.toString(2).padStart(24, '0').replace(/0/g, '2').replace(/1/g, '3');
  while (used.has(word())) number += 1;
  return `\u0001${word().replace(/2/g, '\u0002').replace(/3/g, '\u0003')}`;
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
        // Also of the name __proto__: JSON.parse made it a member of its own.
        (node as Record<string, unknown>)[name] = valueAt(Number(value.slice(mark.length)));
      }
    }
  }
  return top.root;
}
