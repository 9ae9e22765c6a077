import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours of words that tell a state; such a word is coloured where it is a whole cell or begins a line. */
const words: readonly (readonly [Style, string])[] = [
  ['green', 'ok|done|up to date|equal|Whole|Nothing needs attention'],
  ['yellow', 'warn|stopped|not offered|quarantined(?=:)|stale|provisional|[\\d,]+ behind|held back'],
  ['red', 'fail|failed|[\\d,]+ failed|differs|mismatch|Damaged'],
];
const rules = words.map(
  ([style, word]) => [style, new RegExp(`(?<=^(?:- )?| {2,})(?:${word})(?= {2,}|[.:]|$)`, 'gm')] as const,
);

/**
 * A text with its words of state in colours, and with the name that begins an error. A stream that is no terminal, and `NO_COLOR`,
 * leave it as it is. To be used on what is printed already: it adds what `printable` would take away.
 */
export function coloured(text: string, stream: NodeJS.WritableStream): string {
  if (!(stream as NodeJS.WriteStream).isTTY) return text;
  const paint = (style: Style) => (word: string) => styleText(style, word, { stream });
  return rules
    .reduce((painted, [style, rule]) => painted.replace(rule, paint(style)), text)
    .replace(/^firn:/, paint(['red', 'bold']));
}
