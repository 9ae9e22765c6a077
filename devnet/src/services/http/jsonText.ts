const mark = '\u0001raw:';
const marked = /"\\u0001raw:([^"]*)"/g;

/** A number whose digits are written as they stand, where a double would lose some. */
export class RawNumber {
  readonly digits: string;

  constructor(digits: string | bigint) {
    this.digits = String(digits);
  }

  toJSON(): string {
    return mark + this.digits;
  }
}

/** JSON text; `RawNumber` becomes a bare number, and undefined members are left out. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\u0001raw:') ? text.replace(marked, '$1') : text;
}

/** A 200 answer with a JSON body. */
export function ok(value: unknown, headers?: Readonly<Record<string, string>>) {
  return { status: 200, body: jsonText(value), ...(headers === undefined ? {} : { headers }) };
}
