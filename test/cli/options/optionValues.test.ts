import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { bytes, count, days, duration, port, utcDay, wholeNumber } from '../../../src/cli/options/optionValues.ts';

test.each<[string, (text: string) => unknown, string, unknown]>([
  ['seconds', duration, '90s', 90_000],
  ['minutes', duration, '1.5m', 90_000],
  ['hours', duration, '2h', 7_200_000],
  ['days', duration, '1d', 86_400_000],
  ['bytes', bytes, '12', 12],
  ['kilobytes', bytes, '1.5kB', 1500],
  ['megabytes', bytes, '500 MB', 500_000_000],
  ['gigabytes', bytes, '2g', 2_000_000_000],
  ['the last port', port, '65535', 65_535],
  ['a number of days', days, '400d', 400],
  ['a day', utcDay, '2025-03-01', new Date('2025-03-01T00:00:00Z')],
  ['nothing', wholeNumber, '0', 0],
  ['one', count, '1', 1],
])('%s', (_, parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test.each<[(text: string) => unknown, string, RegExp]>([
  [duration, '90', /no unit\. Write 90s, 90m, 90h or 90d/],
  [duration, 'soon', /a length of time/],
  [bytes, '2 TB', /a size/],
  [port, '65536', /from 0 to 65535/],
  [days, '400', /such as 400d/],
  [utcDay, '2025-02-30', /such as 2025-03-01/],
  [wholeNumber, '-1', /a whole number/],
  [count, '0', /a whole number from 1/],
])('%o refuses %s', (parse, text, words) => {
  expect(() => parse(text)).toThrow(InvalidArgumentError);
  expect(() => parse(text)).toThrow(words);
});
