import type { FirnError } from '../firnError.ts';
import { jsonText } from './jsonText.ts';
import { RawList } from './rawList.ts';
import { RawValue } from './rawValue.ts';
import { Verbatim } from './verbatim.ts';
import { wrongShape } from './wrongShape.ts';

// The parts that answers are asked for. A 200 without them is no answer: taken for an empty page it would end a list for
// good, or close every row of a snapshot.

type Raw = Readonly<Record<string, unknown>>;

/** A member of an answer or of a record, parsed or not; without a name all of it. Undefined where there is none. */
export function memberOf(body: unknown, member?: string): unknown {
  if (body instanceof RawValue) return member === undefined ? body.parse() : body.member(member)?.parse();
  if (member === undefined) return body;
  const raw = rawOf(body);
  // What every object inherits (`constructor`) is none.
  return Object.hasOwn(raw, member) ? raw[member] : undefined;
}

/** The list that an answer holds under a name, or that it is. Throws FirnError `contract` where it is missing, null or something else. */
export function listOf(body: unknown, member?: string): readonly unknown[] {
  const list = memberOf(body, member);
  if (Array.isArray(list)) return list;
  if (list instanceof RawList) return [...list];
  throw wrongAnswer(body, member === undefined ? 'list' : `list "${member}"`);
}

/** The object that an answer holds under a name, or that it is. Throws FirnError `contract` for anything else. */
export function objectOf(body: unknown, member?: string): Raw {
  const object = memberOf(body, member);
  if (isObject(object)) return object;
  throw wrongAnswer(body, member === undefined ? 'object' : `object "${member}"`);
}

/** The id or word that an answer holds under a name, or that it is. Throws FirnError `contract` for anything else. */
export function textOf(body: unknown, member?: string): string {
  const value = memberOf(body, member);
  if (typeof value === 'string' && value !== '') return value;
  throw wrongAnswer(body, member === undefined ? 'text' : `text "${member}"`);
}

/**
 * The height, index or number that an answer holds under a name, or that it is: a JSON number, decimal text or a 0x quantity.
 * Throws FirnError `contract` for anything else.
 */
export function wholeNumberOf(body: unknown, member?: string): number {
  const value = memberOf(body, member);
  const isNumber =
    typeof value === 'number' ||
    value instanceof Verbatim ||
    (typeof value === 'string' && /^(\d+|0x[0-9a-fA-F]+)$/.test(value));
  const number = isNumber ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw wrongAnswer(body, member === undefined ? 'number' : `number "${member}"`);
}

/** The 0x quantity that an answer is. Throws FirnError `contract` for anything else, numbers in other forms included. */
export function quantityOf(body: unknown): number {
  if (!textOf(body).startsWith('0x')) throw wrongAnswer(body, '0x quantity');
  return wholeNumberOf(body);
}

/** The same of up to 256 bits, such as the id of a chain: beyond 2^53 a number would be another one. */
export function wideQuantityOf(body: unknown): bigint {
  const text = textOf(body);
  // Of millions of digits the decimal ones would take minutes.
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw wrongAnswer(body, '0x quantity');
}

// Raw records say anything: an object with members `toString` and `valueOf` of its own is no number and no text, and must not end a read.

/** A raw record as an object; an empty one where something else came, which the schema then refuses. */
export const rawOf = (record: unknown): Raw => (record !== null && typeof record === 'object' ? (record as Raw) : {});

/** The text that a raw value is, or its digits; JSON of anything else. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

/** The error of a 200 that is not what was asked for: sent again, since a server in trouble may recover. */
export const wrongAnswer = (body: unknown, wanted: string): FirnError => wrongShape(shapeOf(body), wanted);

/** An answer in a few words: it may be long and deep, and a line is enough. */
function shapeOf(given: unknown): string {
  const body = memberOf(given);
  if (Array.isArray(body)) return `a list of ${body.length}`;
  if (!isObject(body)) return `${body === undefined ? 'nothing' : JSON.stringify(String(body).slice(0, 80))}`;
  const { message } = body;
  const members = Object.keys(body)
    .slice(0, 5)
    .map((name) => `${name.slice(0, 40)}${body[name] === null ? ' (null)' : ''}`);
  const said = typeof message === 'string' ? ` and says ${JSON.stringify(message.slice(0, 80))}` : '';
  return `an object with ${members.length === 0 ? 'nothing in it' : JSON.stringify(members)}${said}`;
}

/** Whether a raw value is an object: a literal kept as text is none. */
export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Verbatim);
