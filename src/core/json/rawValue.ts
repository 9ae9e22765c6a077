import { afterPlainString, afterSpace, afterString, afterValue, isName } from './bytes.ts';
import { jsonText } from './jsonText.ts';
import { numberIn } from './numberIn.ts';
import { type ParseOptions, parseLossless } from './parseLossless.ts';
import { brokenJson } from './wrongShape.ts';

/** A member of an object that stands elsewhere: a value, a list of objects, or what is known without JSON. */
export type Part = RawValue | readonly RawValue[] | number | boolean | null;

/** A member of an object that is left out of it: where its name begins, its value, and what follows that. */
export interface Cut {
  readonly name: number;
  readonly from: number;
  readonly to: number;
}

/** A value of an answer that was not parsed: where its JSON stands. */
export class RawValue {
  readonly bytes: Buffer;
  readonly from: number;
  /** Members of the object that stand elsewhere. */
  readonly also: Readonly<Record<string, Part>> | undefined;
  readonly cut: Cut | undefined;
  #to: number | undefined;

  /** @param to where it ends; found when it is asked for, if omitted */
  constructor(bytes: Buffer, from = 0, to?: number, but: Partial<Pick<RawValue, 'also' | 'cut'>> = {}) {
    this.bytes = bytes;
    this.from = from;
    this.also = but.also;
    this.cut = but.cut;
    this.#to = to;
  }

  /** The position behind it. */
  get to(): number {
    this.#to ??= afterValue(this.bytes, this.from);
    return this.#to;
  }

  /** Told by whoever has read it where it ends: whether that is so. */
  endsAt(end: number): boolean {
    this.#to ??= end;
    return this.#to === end;
  }

  isObject(): boolean {
    return this.bytes[this.from] === 0x7b;
  }

  isList(): boolean {
    return this.bytes[this.from] === 0x5b;
  }

  isNull(): boolean {
    return this.bytes[this.from] === 0x6e;
  }

  /** The JSON as it was served. */
  text(): string {
    const { bytes, from, to, cut, also } = this;
    if (also === undefined && cut === undefined) return bytes.toString('utf8', from, to);
    const inside = (begin: number, end: number) => bytes.toString('utf8', begin, end).replace(/^[\s,]+|[\s,]+$/g, '');
    const own = cut ? [inside(from + 1, cut.name), inside(cut.to, to - 1)] : [inside(from + 1, to - 1)];
    const parts = Object.entries(also ?? {}).map(([name, part]) => `${JSON.stringify(name)}:${partText(part)}`);
    return `{${[...own, ...parts].filter(Boolean).join(',')}}`;
  }

  /** @throws FirnError `contract` where it is no JSON */
  parse(options: ParseOptions = {}): unknown {
    const text = this.text();
    try {
      return parseLossless(text, options);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw brokenJson(text, 'one of its records');
    }
  }

  /** Whether an object may have a member. That it has none is said without a walk through it. */
  mayHave(name: string): boolean {
    return this.bytes.subarray(this.from, this.to).includes(name);
  }

  /** A member of an object, unparsed; undefined where there is none, or no object. Of a name that occurs twice, the first: to look on takes as long as all else. */
  member(name: string): RawValue | undefined {
    const elsewhere = this.also && Object.hasOwn(this.also, name) ? this.also[name] : undefined;
    if (elsewhere instanceof RawValue) return elsewhere;
    const { bytes } = this;
    if (bytes[this.from] !== 0x7b) return undefined;
    if (this.#to !== undefined && !this.mayHave(name) && !this.mayHave('\\u')) return undefined;
    let p = afterSpace(bytes, this.from + 1);
    while (bytes[p] === 0x22) {
      const begin = p;
      const plain = afterPlainString(bytes, begin);
      const behind = plain < 0 ? afterString(bytes, begin) : plain;
      if (behind < 0) return undefined;
      p = afterSpace(bytes, behind);
      if (bytes[p] !== 0x3a) return undefined;
      const from = afterSpace(bytes, p + 1);
      if (plain < 0 ? nameAt(bytes, begin, behind) === name : isName(bytes, begin + 1, behind - 1, name))
        return new RawValue(bytes, from);
      p = afterSpace(bytes, afterValue(bytes, from));
      if (bytes[p] === 0x2c) p = afterSpace(bytes, p + 1);
    }
    return undefined;
  }

  /** A member as a number: digits or a 0x quantity, quoted or not; NaN for anything else. Nothing is parsed: a page asks this of each of its records. */
  number(name: string): number {
    const value = this.member(name);
    if (value === undefined) return Number.NaN;
    const { bytes } = this;
    let p = bytes[value.from] === 0x22 ? value.from + 1 : value.from;
    const first = p;
    let number = 0;
    for (let byte = bytes[p] as number; byte >= 0x30 && byte <= 0x39; byte = bytes[++p] as number)
      number = number * 10 + byte - 0x30;
    const end = bytes[p];
    const isWhole = value.from === first ? end !== 0x2e && end !== 0x65 && end !== 0x45 : end === 0x22;
    if (p > first && p - first <= 15 && isWhole) return number;
    return numberIn(value.parse());
  }

  /**
   * The items of a list with some of their members, unparsed, in one walk; undefined where it is no list. An item that is no object has
   * none of them.
   */
  itemsWith(names: readonly string[]): readonly RawItem[] | undefined {
    const { bytes } = this;
    if (!this.isList()) return undefined;
    const found: RawItem[] = [];
    let p = afterSpace(bytes, this.from + 1);
    if (bytes[p] === 0x5d) return found;
    for (;;) {
      const members: (RawValue | undefined)[] = new Array(names.length).fill(undefined);
      const isWalked = bytes[p] === 0x7b && names.length > 0;
      const end = isWalked ? walk(bytes, p, names, members) : afterValue(bytes, p);
      if (end < 0) return undefined;
      found.push({ value: new RawValue(bytes, p, end), members });
      p = afterSpace(bytes, end);
      if (bytes[p] === 0x5d) return found;
      if (bytes[p] !== 0x2c) return undefined;
      p = afterSpace(bytes, p + 1);
    }
  }

  /** Whether it is this text, of letters and digits, in quotes. */
  isText(text: string): boolean {
    return this.bytes[this.from] === 0x22 && isName(this.bytes, this.from + 1, this.to - 1, text);
  }

  /** The items of a list, unparsed; undefined where it is not a list. */
  items(): readonly RawValue[] | undefined {
    return this.itemsWith([])?.map(({ value }) => value);
  }

  /** The members of an object, unparsed. @throws FirnError `contract` where it is no JSON */
  entries(): readonly (readonly [string, RawValue])[] {
    const { bytes } = this;
    const found = new Map<string, RawValue>();
    let p = afterSpace(bytes, this.from + 1);
    while (bytes[p] === 0x22) {
      const behind = afterString(bytes, p);
      const name = behind < 0 ? undefined : (new RawValue(bytes, p, behind).parse() as string);
      const from = afterSpace(bytes, afterSpace(bytes, behind) + 1);
      const end = afterValue(bytes, from);
      if (name === undefined || end < 0) break;
      found.set(name, new RawValue(bytes, from, end));
      p = afterSpace(bytes, end);
      if (bytes[p] === 0x2c) p = afterSpace(bytes, p + 1);
    }
    if (p !== this.to - 1) throw brokenJson(this.text(), 'one of its records');
    return [...found];
  }

  /** The same object with further members. */
  with(members: Readonly<Record<string, Part>>): RawValue {
    return new RawValue(this.bytes, this.from, this.#to, { also: members, cut: this.cut });
  }

  /** A value that may have come unparsed. */
  static from(value: unknown): RawValue {
    return value instanceof RawValue ? value : new RawValue(Buffer.from(jsonText(value ?? null)));
  }

  /** Values from JSON that lies in one buffer. */
  static of(texts: readonly string[]): readonly RawValue[] {
    const bytes = Buffer.from(texts.join(''));
    let end = 0;
    return texts.map((text) => {
      const from = end;
      end += Buffer.byteLength(text);
      return new RawValue(bytes, from, end);
    });
  }
}

const partText = (part: Part): string =>
  part instanceof RawValue
    ? part.text()
    : typeof part === 'object' && part !== null
      ? `[${part.map(partText).join(',')}]`
      : String(part);

/** An item of a list that was not parsed, and the members of it that were asked for. */
export interface RawItem {
  readonly value: RawValue;
  readonly members: readonly (RawValue | undefined)[];
}

/** A name with escapes, between its quotes; undefined where it is no JSON. */
function nameAt(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to));
  } catch {
    return undefined;
  }
}

/** Walks an object; the position behind it, or -1. */
function walk(bytes: Buffer, from: number, names: readonly string[], members: (RawValue | undefined)[]): number {
  let p = afterSpace(bytes, from + 1);
  if (bytes[p] === 0x7d) return p + 1;
  for (;;) {
    const name = p;
    if (bytes[p] !== 0x22) return -1;
    const plain = afterPlainString(bytes, p);
    const behind = plain < 0 ? afterString(bytes, p) : plain;
    if (behind < 0) return -1;
    p = afterSpace(bytes, behind);
    if (bytes[p] !== 0x3a) return -1;
    const begin = afterSpace(bytes, p + 1);
    p = afterValue(bytes, begin);
    if (p < 0) return -1;
    const escaped = plain < 0 ? nameAt(bytes, name, behind) : undefined;
    for (let i = 0; i < names.length; i++) {
      const wanted = names[i] as string;
      if (escaped === wanted || (plain >= 0 && isName(bytes, name + 1, behind - 1, wanted)))
        members[i] = new RawValue(bytes, begin, p);
    }
    p = afterSpace(bytes, p);
    if (bytes[p] === 0x7d) return p + 1;
    if (bytes[p] !== 0x2c) return -1;
    p = afterSpace(bytes, p + 1);
  }
}
