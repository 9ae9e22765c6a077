/** A number whose digits are written as they stand, where a double would lose some. */
export class RawNumber {
  readonly digits: string;

  constructor(digits: string | bigint) {
    this.digits = String(digits);
  }
}

const mark = '\u0001raw:';

/** JSON text; `RawNumber` becomes a bare number, and undefined members are left out. */
export function jsonText(value: unknown): string {
  let raw = false;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (!(member instanceof RawNumber)) return member;
    raw = true;
    return mark + member.digits;
  });
  return raw ? text.replace(/"\\u0001raw:([^"]*)"/g, '$1') : text;
}

/** A 200 answer with a JSON body. */
export function ok(value: unknown, headers?: Readonly<Record<string, string>>) {
  return { status: 200, body: jsonText(value), ...(headers === undefined ? {} : { headers }) };
}
