import { Verbatim } from './verbatim.ts';

/** The number that a raw value is or says in decimal or 0x digits; NaN for anything else, objects with a `valueOf` of their own included. */
export function numberIn(value: unknown): number {
  const isText = typeof value === 'string' && value.trim() !== '';
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Verbatim;
  const number = isText || isNumber ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : Number.NaN;
}
