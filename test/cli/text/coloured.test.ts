import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coloured } from '../../../src/cli/text/coloured.ts';

// The environment's own wishes about colours are not tested here.
beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI', 'TMUX']) vi.stubEnv(name, undefined);
  vi.stubEnv('TERM', 'xterm-256color');
});
afterEach(() => void vi.unstubAllEnvs());

const terminal = () =>
  Object.assign(new PassThrough(), { isTTY: true, getColorDepth: WriteStream.prototype.getColorDepth });
const [green, yellow, red, bold] = ['32m', '33m', '31m', '1m'];

test.each<[string, string, string[]]>([
  ['the first word of a line', 'ok    duckdb   1.5\nwarn  disk   full soon\nfail  node   down', [green, yellow, red]],
  [
    'cells',
    'stream  state       rows\nnode/a  up to date     1\nnode/b  2 failed       2\nnode/c  7 behind       3',
    [green, red, yellow],
  ],
  ['an error', 'firn: There is no configuration.', [red, bold]],
  ['a finding', '- failed: the last run', [red]],
  ['a finding, not the column of its name', 'stream  quarantined  state\n- quarantined: 2 records', [yellow]],
])('%s is coloured, and reads the same', (_, text, colours) => {
  const painted = coloured(text, terminal());
  expect(stripVTControlCharacters(painted)).toBe(text);
  const begun = painted
    .split('\u001b[')
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('m') + 1));
  expect(begun.filter((one) => one !== '39m' && one !== '22m')).toEqual(colours);
});

test.each(['nothing failed here', 'a sentence that is ok.', 'differs_from  x', 'read ok and done'])(
  '%s is left alone',
  (text) => {
    expect(coloured(text, terminal())).toBe(text);
  },
);

test('no terminal, and NO_COLOR, leave everything as it is', () => {
  expect(coloured('ok    duckdb', new PassThrough())).toBe('ok    duckdb');
  vi.stubEnv('NO_COLOR', '1');
  expect(coloured('ok    duckdb', terminal())).toBe('ok    duckdb');
});
