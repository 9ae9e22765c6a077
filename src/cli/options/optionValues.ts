import { type Command, InvalidArgumentError } from 'commander';
import { daysPattern } from '../../core/input/daysPattern.ts';
import { isDay } from '../../core/input/isDay.ts';
import { meant } from '../../core/input/meant.ts';

/** Parses one of these words. */
export const oneOf = (words: readonly string[]) => (text: string) => {
  if (words.includes(text)) return text;
  throw new InvalidArgumentError(meant(text, words));
};

/** Parses a port; 0 takes a free one. */
export function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a port: a whole number from 0 to 65535.');
}

const isWhole = (text: string) => /^\d{1,15}$/.test(text);

/** Parses a whole number from 0 on. */
export function wholeNumber(text: string): number {
  if (isWhole(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at most 15 digits.');
}

/** Parses a whole number from 1 on: how many of something are asked for. */
export function count(text: string): number {
  if (isWhole(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1, of at most 15 digits.');
}

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a length of time such as 90s, 30m, 2h or 1d. In milliseconds. */
export function duration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(text) ?? [];
  if (number !== undefined && unit === undefined)
    throw new InvalidArgumentError(`It has no unit. Write ${number}s, ${number}m, ${number}h or ${number}d.`);
  if (number !== undefined) return Number(number) * milliseconds[unit as keyof typeof milliseconds];
  throw new InvalidArgumentError('It must be a length of time, such as 90s, 30m or 2h.');
}

const sizes = { '': 1, k: 1e3, m: 1e6, g: 1e9 } as const;

/** Parses a size such as 500MB or 2GB; a bare number counts bytes. */
export function bytes(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text) ?? [];
  if (number !== undefined) return Math.floor(Number(number) * sizes[(unit ?? '').toLowerCase() as keyof typeof sizes]);
  throw new InvalidArgumentError('It must be a size, such as 500MB or 2GB.');
}

/** Parses a number of days such as 400d. */
export function days(text: string): number {
  if (daysPattern.test(text)) return Number.parseInt(text, 10);
  throw new InvalidArgumentError('It must be a number of days of at most five digits, such as 400d.');
}

/** Parses a day such as 2025-03-01, in UTC. */
export function utcDay(text: string): Date {
  if (isDay(text)) return new Date(`${text}T00:00:00Z`);
  throw new InvalidArgumentError('It must be a day, such as 2025-03-01.');
}

/**
 * Refuses what is given and empty, for every option and argument of a command and of the program. It is a variable of the shell that is not set:
 * taken for an option that was not given, it would have the command work on something else.
 */
export function refuseEmpty(command: Command): void {
  const empty = command.args.indexOf('');
  const argument = command.registeredArguments[Math.min(empty, command.registeredArguments.length - 1)];
  if (empty >= 0) command.error(`error: argument '${argument?.name()}' is empty`);
  for (let at: Command | null = command; at; at = at.parent) {
    for (const option of at.options) {
      const value = at.getOptionValue(option.attributeName());
      if ([value].flat().includes('')) command.error(`error: option '${option.flags}' is empty`);
    }
  }
}
