import { InvalidArgumentError } from 'commander';

/** Parses a whole number from 0 on. */
export function positiveInteger(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
