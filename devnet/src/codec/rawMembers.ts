const quoteSign = 0x22;
const backslash = 0x5c;

/**
 * Splits one JSON object into its top-level members without parsing their values, so that integers above 2^53 keep every digit.
 * Returns name -> raw JSON text of the value, in the order of the text.
 * Throws an Error that names the position where the text stops being an object. Nested values are only checked for balance.
 */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0);
  if (text[at] !== '{') throw new Error(`expected an object at position ${at}`);
  at = skipSpace(text, at + 1);
  if (text[at] === '}') return endOfText(text, at + 1, members);
  for (;;) {
    if (text.charCodeAt(at) !== quoteSign) throw new Error(`expected a member name at position ${at}`);
    const nameEnd = stringEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    at = skipSpace(text, nameEnd);
    if (text[at] !== ':') throw new Error(`expected ":" at position ${at}`);
    at = skipSpace(text, at + 1);
    const end = valueEnd(text, at);
    members.set(name, text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === '}') return endOfText(text, at + 1, members);
    if (text[at] !== ',') throw new Error(`expected "," or "}" at position ${at}`);
    at = skipSpace(text, at + 1);
  }
}

/** The elements of a JSON array as raw text, by the same rules as `rawMembers`. */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  let at = skipSpace(text, 0);
  if (text[at] !== '[') throw new Error(`expected an array at position ${at}`);
  at = skipSpace(text, at + 1);
  if (text[at] === ']') return endOfText(text, at + 1, elements);
  for (;;) {
    const end = valueEnd(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ']') return endOfText(text, at + 1, elements);
    if (text[at] !== ',') throw new Error(`expected "," or "]" at position ${at}`);
    at = skipSpace(text, at + 1);
  }
}

/** The text of an object with these members, the reverse of `rawMembers`. */
export function writeMembers(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join()}}`;
}

function endOfText<T>(text: string, from: number, value: T): T {
  const at = skipSpace(text, from);
  if (at !== text.length) throw new Error(`unexpected text at position ${at}`);
  return value;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
    at++;
  }
  return at;
}

/** Position after the closing quote of the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new Error(`the string that opens at position ${from} is not closed`);
}

function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first === '{' || first === '[') return nestedEnd(text, from);
  let at = from;
  while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
  const scalar = text.slice(from, at);
  if (!/^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/.test(scalar)) {
    throw new Error(`expected a value at position ${from}`);
  }
  return at;
}

function nestedEnd(text: string, from: number): number {
  const closers: string[] = [];
  for (let at = from; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quoteSign:
        at = stringEnd(text, at) - 1;
        break;
      case 0x7b:
        closers.push('}');
        break;
      case 0x5b:
        closers.push(']');
        break;
      case 0x7d:
      case 0x5d:
        if (closers.pop() !== text[at]) throw new Error(`unbalanced "${text[at]}" at position ${at}`);
        if (closers.length === 0) return at + 1;
        break;
    }
  }
  throw new Error(`the value that opens at position ${from} is not closed`);
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON in which integers of 16 digits and more become strings, since a double cannot hold all of them.
 * Read every amount, weight or time with `BigInt`, which takes either form.
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text.replace(stringOrNumber, (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));
}
