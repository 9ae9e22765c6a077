/** Drawn numbers, taken one by one for whatever is to be decided; 0 when they are used up. */
export class Picks {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** From 0 to below `n`. */
  next(n: number): number {
    return (this.#numbers[this.#at++] ?? 0) % n;
  }

  /** One of some; undefined where there are none. */
  of<T>(items: readonly T[]): T | undefined {
    return items[this.next(items.length || 1)];
  }
}
