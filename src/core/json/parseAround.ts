import { type Bounds, beyond, bounds as known } from './bounds.ts';
import { afterSpace, afterString, afterValue, type Tally } from './bytes.ts';
import { type ParseOptions, parseLossless } from './parseLossless.ts';
import { RawList } from './rawList.ts';
import { RawValue } from './rawValue.ts';

/** A step to every item of a list; other steps are members. */
export const each = '[]';

/**
 * Parses an answer except for its records, which come as RawValues in their places: what is asked of the rest (a page token, an id, an
 * error) is parsed as usual, and of a record only what nobody reads from its bytes. A list of them may come as a RawList.
 *
 * @param steps to what is left; an answer that is built otherwise is parsed whole
 * @throws SyntaxError as JSON.parse does; what is wrong inside of a record shows when it is read · FirnError `contract` beyond the bounds
 *   on values and items
 */
export function parseAround(bytes: Buffer, steps: readonly string[] | undefined, options: ParseOptions): unknown {
  const whole = () => parseLossless(bytes.toString('utf8'), options);
  if (steps === undefined) return whole();
  const place = steps.join('.');
  if (behindLists.has(place) && mayJump(bytes, steps, options)) {
    const jumped = outlined(bytes, steps, options, () => behindLists.delete(place));
    if (jumped !== undefined && jumped.behind === behindLists.get(place)) return jumped.body;
  }
  const walked = outlined(bytes, steps, options);
  if (walked?.behind !== undefined) behindLists.set(place, walked.behind);
  // The error, or the value, is that of the whole text.
  return walked ? walked.body : whole();
}

/**
 * The names behind the list of records in the last answer that was walked, by the steps to it. Where an answer has the same names behind its last
 * bracket, its list ends there, which is found without a walk through its records; should it not, the first record behind the list
 * shows it.
 */
const behindLists = new Map<string, string>();

/** Whether a list of records is the only one on the way to them, and need not be walked. */
const mayJump = (bytes: Buffer, steps: readonly string[], { bounds = known.page }: ParseOptions): boolean =>
  steps.indexOf(each) === steps.length - 1 && isShort(bytes, bounds);

/** Values that are not walked are not counted: there are at most half as many as bytes. */
const isShort = (bytes: Buffer, { values }: Bounds): boolean => bytes.length / 2 <= values;

/** What stands around the records; undefined where it is no JSON. @param endsElsewhere if the list may be jumped over */
function outlined(bytes: Buffer, steps: readonly string[], options: ParseOptions, endsElsewhere?: () => void) {
  try {
    const outline = new Outline(bytes, steps, options, endsElsewhere);
    const body = outline.value(0);
    return afterSpace(bytes, outline.p) === bytes.length ? { body, behind: outline.behind } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** How an answer of JSON-RPC begins, and the next one in the list that answers a batch. */
const envelope = Buffer.from('{"jsonrpc":');
const nextEnvelope = Buffer.from(',{"jsonrpc":');

/** Walks the few levels above the records. */
class Outline {
  p = 0;
  /** Names of members behind the list of records; undefined as long as none was met. */
  behind: string | undefined;
  /** Where the current item of the outer list ends, if that shows without a walk; else -1. */
  #itemEnd = -1;
  /** Whether nothing stood behind the result in the item before. */
  #isLast = false;
  readonly #bytes: Buffer;
  readonly #steps: readonly string[];
  readonly #options: ParseOptions;
  readonly #bounds: Bounds;
  readonly #tally: Tally;
  readonly #endsElsewhere: (() => void) | undefined;

  constructor(bytes: Buffer, steps: readonly string[], options: ParseOptions, endsElsewhere: (() => void) | undefined) {
    this.#endsElsewhere = endsElsewhere;
    this.#bytes = bytes;
    this.#steps = steps;
    this.#options = options;
    this.#bounds = options.bounds ?? known.page;
    this.#tally = { values: 0, depth: 0, items: 0, commas: new Int32Array(this.#bounds.depth + 1) };
  }

  value(step: number): unknown {
    this.p = afterSpace(this.#bytes, this.p);
    const open = this.#bytes[this.p];
    if (step === this.#steps.length) return open === 0x6e ? this.#parsed() : this.#raw();
    const wanted = this.#steps[step] === each ? 0x5b : 0x7b;
    if (open !== wanted) return this.#parsed();
    if (open === 0x7b) return this.#object(step);
    const isOfRecords = step + 1 === this.#steps.length;
    const list = isOfRecords && this.#endsElsewhere ? this.#jumped(this.#endsElsewhere) : this.#list(step);
    if (isOfRecords) this.behind = '';
    return list;
  }

  /** A list of records that ends with the last bracket of all. */
  #jumped(endsElsewhere: () => void): RawList {
    const list = new RawList(this.#bytes, this.p, this.#bytes.lastIndexOf(0x5d) + 1, this.#bounds, endsElsewhere);
    if (list.to <= list.from) throw new SyntaxError('unterminated list');
    this.p = list.to;
    return list;
  }

  /** A value as it stands; one that is nested deeper than is parsed comes parsed so far. */
  #raw(): unknown {
    const from = this.p;
    if (this.#endsItem(from)) {
      this.p = this.#itemEnd - 1;
      return new RawValue(this.#bytes, from, this.p);
    }
    this.#tally.depth = 0;
    this.p = afterValue(this.#bytes, from, this.#tally);
    if (this.p < 0) throw new SyntaxError('unterminated value');
    if (this.#tally.values > this.#bounds.values) throw beyond(this.#bounds, 'values');
    if (this.#tally.items > this.#bounds.items) throw beyond(this.#bounds, 'items');
    const raw = new RawValue(this.#bytes, from, this.p);
    return this.#tally.depth > this.#bounds.depth ? parseLossless(raw.text(), this.#options) : raw;
  }

  /** Whether the value at `from` is the last member of its item, closed by what stands right before the end of that. */
  #endsItem(from: number): boolean {
    const open = this.#bytes[from];
    return (open === 0x7b || open === 0x5b) && this.#bytes[this.#itemEnd - 2] === open + 2;
  }

  /**
   * Where an answer to one call of a batch ends: right before the next one, which a search finds several times as quickly as a walk. Should a
   * result hold the same bytes, it is cut in the wrong place and is no JSON, so that the whole is asked for again and parsed.
   */
  #endOfEnvelope(from: number): number {
    const bytes = this.#bytes;
    const isEnvelope = bytes.subarray(from, from + envelope.length).equals(envelope);
    if (!isEnvelope || !isShort(bytes, this.#bounds)) return -1;
    const next = bytes.indexOf(nextEnvelope, from);
    return bytes[next - 1] === 0x7d ? next : -1;
  }

  #parsed(): unknown {
    const from = this.p;
    this.p = afterValue(this.#bytes, from);
    if (this.p < 0) throw new SyntaxError('unterminated value');
    return parseLossless(this.#bytes.toString('utf8', from, this.p), this.#options);
  }

  #list(step: number): unknown[] {
    const items: unknown[] = [];
    this.#next(1);
    if (this.#bytes[this.p] === 0x5d) {
      this.p++;
      return items;
    }
    for (;;) {
      if (step === 0 && this.#steps.length === 2) this.#itemEnd = this.#isLast ? this.#endOfEnvelope(this.p) : -1;
      items.push(this.value(step + 1));
      if (items.length > this.#bounds.items) throw beyond(this.#bounds, 'items');
      if (this.#closes(0x5d)) return items;
    }
  }

  #object(step: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    this.#next(1);
    if (this.#bytes[this.p] === 0x7d) {
      this.p++;
      return members;
    }
    for (;;) {
      const begin = this.p;
      const end = this.#bytes[begin] === 0x22 ? afterString(this.#bytes, begin) : -1;
      if (end < 0) throw new SyntaxError('no name');
      const name = JSON.parse(this.#bytes.toString('utf8', begin, end)) as string;
      if (this.behind !== undefined) this.behind += `${name},`;
      this.p = afterSpace(this.#bytes, end);
      if (this.#bytes[this.p] !== 0x3a || name === '__proto__') throw new SyntaxError('no member');
      this.#next(1);
      const isOnTheWay = name === this.#steps[step];
      // Of two the last one counts, and a list that was jumped over would never be read, nor found out.
      if (isOnTheWay && Object.hasOwn(members, name)) throw new SyntaxError('a name twice');
      members[name] = isOnTheWay ? this.value(step + 1) : this.#parsed();
      if (this.#closes(0x7d)) {
        this.#isLast = isOnTheWay;
        return members;
      }
    }
  }

  /** Passes over what ends an item: whether that was the last one. */
  #closes(close: number): boolean {
    this.#next(0);
    const byte = this.#bytes[this.p];
    if (byte !== close && byte !== 0x2c) throw new SyntaxError('no end');
    this.#next(1);
    return byte === close;
  }

  #next(bytes: number): void {
    this.p = afterSpace(this.#bytes, this.p + bytes);
  }
}
