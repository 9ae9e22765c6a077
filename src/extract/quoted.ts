const longest = 300;

/** A server's own words as `: "…"` for the end of a sentence: one line, cut to length; nothing when there are none. */
export function quoted(words: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's text must not steer the terminal
  const line = words.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim();
  if (line === '') return '';
  return `: "${line.length > longest ? `${line.slice(0, longest)}…` : line}"`;
}
