import { FirnError } from '../src/core/firnError.ts';

const kinds = {
  'a whole number above zero': (text: string) => /^[1-9]\d*$/.test(text),
  'a number above zero': (text: string) => Number(text) > 0,
  'a share between 0 and 1': (text: string) => text !== '' && Number(text) >= 0 && Number(text) <= 1,
};

/**
 * The number that an option of a program of the tests was given.
 *
 * @throws FirnError `usage` where it is none: with NaN a program would try nothing, and end well
 */
export function optionNumber(name: string, text: string, kind: keyof typeof kinds = 'a whole number above zero') {
  if (kinds[kind](text)) return Number(text);
  throw new FirnError('usage', `--${name} ${text}: write ${kind}.`);
}
