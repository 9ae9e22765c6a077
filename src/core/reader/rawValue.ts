import { type Numbers, parseLossless } from '../parseLossless.ts';
import { afterSpace, afterString, afterValue } from './bytes.ts';

/** A value of an answer that was not parsed: where its JSON stands. */
export class RawValue {
  readonly bytes: Buffer;
  readonly from: number;
  #to: number | undefined;

  /** @param to where it ends; found when it is asked for, where it is left out */
  constructor(bytes: Buffer, from = 0, to?: number) {
    this.bytes = bytes;
    this.from = from;
    this.#to = to;
  }

  /** The position behind it. */
  get to(): number {
    this.#to ??= afterValue(this.bytes, this.from);
    return this.#to;
  }

  isList(): boolean {
    return this.bytes[this.from] === 0x5b;
  }

  /** The JSON as it was served. */
  text(): string {
    return this.bytes.toString('utf8', this.from, this.to);
  }

  /** @throws SyntaxError where it is no JSON */
  parse(numbers: Numbers = 'lossless'): unknown {
    return parseLossless(this.text(), { numbers });
  }

  /** A member of an object, unparsed; undefined where there is none, or no object. Of a name that stands twice the first. */
  member(name: string): RawValue | undefined {
    const { bytes } = this;
    if (bytes[this.from] !== 0x7b) return undefined;
    let p = afterSpace(bytes, this.from + 1);
    while (bytes[p] === 0x22) {
      const behind = afterString(bytes, p);
      if (behind < 0) return undefined;
      const isIt = behind - p === name.length + 2 && bytes.toString('latin1', p + 1, behind - 1) === name;
      p = afterSpace(bytes, behind);
      if (bytes[p] !== 0x3a) return undefined;
      const from = afterSpace(bytes, p + 1);
      if (isIt) return new RawValue(bytes, from);
      p = afterSpace(bytes, afterValue(bytes, from));
      if (bytes[p] === 0x2c) p = afterSpace(bytes, p + 1);
    }
    return undefined;
  }

  /** The items of a list, unparsed; undefined where it is none. */
  items(): readonly RawValue[] | undefined {
    const { bytes } = this;
    let p = this.from;
    if (!this.isList()) return undefined;
    const items: RawValue[] = [];
    p = afterSpace(bytes, p + 1);
    if (bytes[p] === 0x5d) return items;
    for (;;) {
      const end = afterValue(bytes, p);
      if (end < 0) return undefined;
      items.push(new RawValue(bytes, p, end));
      p = afterSpace(bytes, end);
      if (bytes[p] === 0x5d) return items;
      if (bytes[p] !== 0x2c) return undefined;
      p = afterSpace(bytes, p + 1);
    }
  }

  /** The same object with further members, which are JSON. */
  with(members: Readonly<Record<string, RawValue | string>>): RawValue {
    const close = this.bytes.lastIndexOf(0x7d, this.to - 1);
    const parts: Uint8Array[] = [this.bytes.subarray(this.from, close)];
    for (const [name, value] of Object.entries(members)) {
      parts.push(Buffer.from(`,${JSON.stringify(name)}:`));
      parts.push(typeof value === 'string' ? Buffer.from(value) : value.bytes.subarray(value.from, value.to));
    }
    parts.push(Buffer.from('}'));
    return new RawValue(Buffer.concat(parts));
  }
}
