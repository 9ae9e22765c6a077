/**
 * JSON that is kept as it was written: a number that a JavaScript number would not give back (`1e400`, `1.10`), or what is nested
 * too deep to be parsed. As text it is what was written, as a number what JavaScript makes of it.
 */
export class Verbatim {
  readonly #json: string;

  constructor(json: string) {
    this.#json = json;
  }

  /** Whether it is an object or a list, and not a number. */
  get isNested(): boolean {
    return /^[[{]/.test(this.#json);
  }

  toString(): string {
    return this.#json;
  }

  valueOf(): number {
    return Number(this.#json);
  }

  toJSON(): string {
    return this.#json;
  }
}
