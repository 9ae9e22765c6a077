import type { FirnError } from '../firnError.ts';
import { type Bounds, beyond } from './bounds.ts';
import { afterSpace } from './bytes.ts';
import { RawValue } from './rawValue.ts';
import { brokenJson } from './wrongShape.ts';

/**
 * A list of records that nobody has walked through: where it ends was told by what stands behind it. Whoever reads a record finds its end,
 * and with it the next one.
 */
export class RawList implements Iterable<RawValue> {
  readonly bytes: Buffer;
  readonly from: number;
  /** The position behind it. */
  readonly to: number;
  readonly #bounds: Bounds;
  readonly #endsElsewhere: () => void;

  /** @param endsElsewhere told where its records do not end with it */
  constructor(bytes: Buffer, from: number, to: number, bounds: Bounds, endsElsewhere: () => void) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.#bounds = bounds;
    this.#endsElsewhere = endsElsewhere;
  }

  get isEmpty(): boolean {
    return this.#first === this.to - 1;
  }

  /** Number of records, as of any list: a stream that ends at a short page would end too early, or never, without it. Reads them all. */
  get length(): number {
    return [...this].length;
  }

  get #first(): number {
    return afterSpace(this.bytes, this.from + 1);
  }

  /**
   * The records, each to be read before the next one is asked for.
   *
   * @throws FirnError `contract` where they do not end with the list, or are too many
   */
  *[Symbol.iterator](): Generator<RawValue, void> {
    const { bytes, to } = this;
    if (this.isEmpty) return;
    let p = this.#first;
    // An empty list with more behind it.
    if (bytes[p] === 0x5d) throw this.#wrong();
    for (let records = 1; ; records++) {
      if (records > this.#bounds.items) throw beyond(this.#bounds, 'items');
      const record = new RawValue(bytes, p);
      yield record;
      p = record.to < 0 ? to : afterSpace(bytes, record.to);
      if (p === to - 1) return;
      if (p >= to || bytes[p] !== 0x2c) throw this.#wrong();
      p = afterSpace(bytes, p + 1);
    }
  }

  #wrong(): FirnError {
    this.#endsElsewhere();
    return brokenJson(this.bytes.toString('utf8', this.from, this.to), 'its list of records');
  }
}
