/** A text as one word of a shell's line: text from elsewhere must not run, nor fall apart, when it is pasted. */
export const shellWord = (text: string): string =>
  /^[\w./%=:@+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
